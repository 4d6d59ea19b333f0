import type { EndpointSlice, Lease, Persisted } from '@vireo/api';
import { describe, expect, it } from 'vitest';
import { type Instance, InstanceSilence } from './silence.ts';

const slice = { metadata: { uid: 's' } } as Persisted<EndpointSlice>;
const leaseAt = (renewTime: string) =>
  ({ metadata: { uid: 'l' }, spec: { renewTime, leaseDurationSeconds: 3 } }) as Persisted<Lease>;

interface World {
  /** What the server has at a time. */
  readonly server: (atMs: number) => Instance;
  /** What the cache shows; as the server where it is missing. */
  readonly cache?: (atMs: number) => Instance;
  readonly isServerDown?: (atMs: number) => boolean;
  /** Times in which nobody looks. */
  readonly isControllerDown?: (atMs: number) => boolean;
}

/** When the instance is removed, in a world of a minute; undefined: never. */
async function removedAtMs({ server, cache = server, isServerDown, isControllerDown }: World) {
  const silence = new InstanceSilence();
  for (let nowMs = 0; nowMs < 60_000; ) {
    const at = nowMs;
    if (isControllerDown?.(at)) {
      nowMs += 100;
      continue;
    }
    const read = async (): Promise<Instance> => {
      if (isServerDown?.(at)) throw new Error('down');
      return server(at);
    };
    const decision = await silence.look('a', cache(at), { read, now: () => at }).catch(() => ({ lookAgainMs: 200 }));
    if ('remove' in decision) return at;
    nowMs += decision.lookAgainMs;
  }
  return undefined;
}

const renewing = (atMs: number): Instance => ({ lease: leaseAt(String(Math.floor(atMs / 1000))), slice });
const diesAt = (deathMs: number) => (atMs: number) => renewing(Math.min(atMs, deathMs));
const isBetween = (fromMs: number, toMs: number) => (atMs: number) => atMs >= fromMs && atMs < toMs;
/** It renews its Lease again some time after the server has come back. */
const outage = (atMs: number): Instance => (isBetween(10_000, 22_500)(atMs) ? renewing(9_999) : renewing(atMs));

describe('an instance of the extension', () => {
  it.each<[string, World]>([
    ['that renews its Lease', { server: renewing }],
    ['that the cache is behind on', { server: renewing, cache: () => renewing(0) }],
    ['that could not renew its Lease in an outage', { server: outage, isServerDown: isBetween(10_000, 20_000) }],
    ['that nobody looked at for a while', { server: outage, isControllerDown: isBetween(11_000, 22_000) }],
  ])('%s stays', async (_, world) => {
    expect(await removedAtMs(world)).toBeUndefined();
  });

  it.each<[string, World, fromMs: number]>([
    ['has died', { server: diesAt(9_999) }, 10_000],
    ['was dead before the controllers started', { server: () => renewing(0) }, 0],
    ['has a slice and no Lease', { server: () => ({ lease: undefined, slice }) }, 0],
    ['died in an outage', { server: diesAt(9_999), isServerDown: isBetween(5_000, 30_000) }, 30_000],
  ])('that %s goes within five seconds, and not before its Lease is over', async (_, world, fromMs) => {
    const atMs = (await removedAtMs(world)) ?? Number.NaN;
    expect(atMs - fromMs).toBeGreaterThanOrEqual(3000);
    expect(atMs - fromMs).toBeLessThan(5000);
  });
});
