import { type Redis } from 'ioredis';

/**
 * Lets time pass for the sessions of a Redis: its own clock cannot be moved, so that every time that they hold is moved
 * towards it, which comes to the same.
 */
export async function ageRedis(redis: Redis, milliseconds: number): Promise<void> {
  for (const key of await redis.keys('portico:*')) {
    const value = await redis.get(key).catch(() => undefined);
    // Of another type: what it holds does not age.
    if (value === undefined) continue;
    const left = (await redis.pttl(key)) - milliseconds;
    if (value === null || left <= 0) {
      await redis.del(key);
      continue;
    }
    const aged = value.replace(/^(\d+)\.(\d+)\./, (_all, version: string, expiresAt: string) => {
      return `${version}.${Number(expiresAt) - milliseconds}.`;
    });
    await redis.set(key, aged, 'PX', left);
  }
}
