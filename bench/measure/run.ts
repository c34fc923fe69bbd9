import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { machine } from '../machine/describe.ts';
import { redisMissing, startRedis } from '../machine/redis.ts';
import { startPlatform } from '../platform/start-platform.ts';
import { systemOf, type System } from '../systems/index.ts';
import { measureClient } from './measure-client.ts';
import { measureSystem } from './measure-system.ts';
import { type FigureId, type Run, type Sample } from './sample.ts';
import { type Timing } from './timing.ts';

export interface RunPlan {
  readonly systems: readonly string[];
  readonly figures: ReadonlySet<FigureId>;
  readonly rounds: number;
  readonly timing: Timing;
  /** The folder of another checkout, built, for systems whose ids begin with `before-`. */
  readonly beside?: string | undefined;
}

/** Measures all systems in rounds, every other round in the reverse order, and tells on stderr where it is. */
export async function run({ systems, figures, rounds, timing, beside }: RunPlan): Promise<Run> {
  const wanted = systems.map((id) => systemOf(id, beside));
  const [loadBefore = NaN] = loadavg();
  const began = performance.now();
  let done = 0;
  let lastRound = 0;
  const needsRedis = wanted.some(({ id }) => id.endsWith('redis')) && redisMissing === undefined;
  const folder = await mkdtemp(join(tmpdir(), 'portico-bench-'));
  const platform = await startPlatform();
  const redis = needsRedis ? await startRedis() : undefined;
  const surroundings = { platform, folder, redisUrl: redis?.url };
  const samples: Sample[] = [];
  const missing: Record<string, string> = {};
  const measurable = async (system: System, work: () => Promise<void> | undefined): Promise<void> => {
    try {
      await work();
    } catch (error) {
      missing[system.id] = (error as Error).message.replaceAll(/\s+/g, ' ');
      console.error(`${system.label}: ${missing[system.id] ?? ''}`);
    }
  };
  try {
    for (const system of wanted) await measurable(system, () => system.prepare?.(surroundings));
    if (figures.has('client')) samples.push(...(await measureClient(platform.origin, rounds, timing.calls)));
    for (let round = 1; round <= rounds; round += 1) {
      const beganRound = performance.now();
      if (round > 1 && beganRound - began + lastRound > timing.most) break;
      for (const system of round % 2 === 1 ? wanted : wanted.toReversed()) {
        if (missing[system.id] !== undefined) continue;
        console.error(`round ${round} of ${rounds}: ${system.label}`);
        await measurable(system, async () => {
          samples.push(...(await measureSystem(system, surroundings, { figures, timing, round })));
        });
      }
      done = round;
      lastRound = performance.now() - beganRound;
    }
  } finally {
    await platform.stop();
    await redis?.stop();
    await rm(folder, { recursive: true, force: true });
  }
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: machine(),
    rounds: done,
    loadBefore,
    samples,
    missing,
  };
}
