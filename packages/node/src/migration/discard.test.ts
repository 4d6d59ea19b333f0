import { type DomainState, LibvirtError } from '@vireo/libvirt';
import { expect, it } from 'vitest';
import { vmiIn } from '../testing/objects.ts';
import type { Domain } from '../vmi/domainInformer.ts';
import { emptyCache } from '../vmi/localVmi.ts';
import { IncomingMigrations } from './incoming.ts';

const noDomain = new LibvirtError({ code: 42, domain: 10, level: 2, message: 'none', procedure: 'domainGetState' });

/** Discards a domain that was seen waiting, while libvirt says something else by now; what was done. */
async function discarded(state: () => Promise<DomainState>): Promise<string[]> {
  const done: string[] = [];
  const context = {
    libvirt: {
      calls: { domainState: state },
      long: { destroyDomain: async () => void done.push('destroyed') },
    },
    domains: { refresh: async () => void done.push('looked') },
    recorder: { event: () => {} },
    host: { name: 'b' },
  };
  type Given = ConstructorParameters<typeof IncomingMigrations>;
  const [context_, none] = [context as unknown as Given[0], undefined as unknown];
  const incoming = new IncomingMigrations(context_, none as Given[1], none as Given[2], () => undefined);
  const domain = { ref: { name: 'shop_web', uuid: 'u', id: 1 }, state: { state: 'paused', reason: 'migration' } };
  await incoming.discard({ uid: 'u', vmi: vmiIn('Running'), domain: domain as Domain, cache: emptyCache() });
  return done;
}

it.each<[string, DomainState | undefined, string[]]>([
  ['still waits is ended', { state: 'paused', reason: 'migration' }, ['destroyed', 'looked']],
  ['starts is ended', { state: 'paused', reason: 'starting-up' }, ['destroyed', 'looked']],
  ['has just got its guest runs on', { state: 'running', reason: 'migrated' }, ['looked']],
  ['has got a guest that is paused stays', { state: 'paused', reason: 'user' }, ['looked']],
  ['gets its guest by post-copy runs on', { state: 'running', reason: 'postcopy' }, ['looked']],
  ['is off is only looked at', { state: 'shutoff', reason: 'destroyed' }, ['looked']],
  ['is gone is only looked at', undefined, ['looked']],
])('a domain that %s', async (_, state, done) => {
  expect(await discarded(() => (state ? Promise.resolve(state) : Promise.reject(noDomain)))).toEqual(done);
});
