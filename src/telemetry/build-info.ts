import { readFileSync } from 'node:fs';
import { Gauge, type Registry } from 'prom-client';

/** What is running. */
export interface BuildInfo {
  readonly name: string;
  readonly version: string;
  readonly node: string;
}

/** Describes the package that this file belongs to. */
export function buildInfo(): BuildInfo {
  const { name, version } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  ) as { name: string; version: string };
  return { name, version, node: process.versions.node };
}

/** Shows it as labels of a metric that is always 1, so that others can be joined with it. */
export function showBuild({ version, node }: BuildInfo, registry: Registry): void {
  new Gauge({
    name: 'portico_build_info',
    help: '1, with the version of Portico and of Node as labels.',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version, node }, 1);
}
