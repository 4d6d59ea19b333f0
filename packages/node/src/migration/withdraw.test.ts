import type { Persisted, Pod } from '@vireo/api';
import type { VmiStatus } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type DomainState, LibvirtError } from '@vireo/libvirt';
import { expect, it } from 'vitest';
import { vmiIn } from '../testing/objects.ts';
import type { LocalVmi } from '../vmi/localVmi.ts';
import type { StatusWriter } from '../vmi/statusWriter.ts';
import { ABORTED } from './copyWatch.ts';
import { IncomingMigrations } from './incoming.ts';

const noDomain = new LibvirtError({ code: 42, domain: 10, level: 2, message: 'none', procedure: 'domainGetState' });
const open = { migrationUid: 'm', sourceNode: 'a', targetNode: 'b', targetPod: 'to' };
const deleted = { name: 'to', deletionTimestamp: '2026-01-01T00:00:00Z' };

interface Case {
  readonly state?: object;
  readonly pod?: object;
  readonly domain?: DomainState;
}

/** Withdraws on node `b`; whether the launcher may go, and why the VMI says that its guest does not come. */
async function withdrawn({ state = {}, pod = deleted, domain }: Case) {
  type Given = ConstructorParameters<typeof IncomingMigrations>;
  const done: string[] = [];
  const domainState = async () => {
    if (!domain) throw noDomain;
    return domain;
  };
  const context = {
    libvirt: { calls: { domainState }, long: { destroyDomain: async () => void done.push('destroyed') } },
    domains: { refresh: async () => {} },
    enqueue: () => {},
    host: { name: 'b' },
  } as unknown as Given[0];
  const none = undefined as unknown;
  const incoming = new IncomingMigrations(context, none as Given[1], none as Given[2], () => undefined);
  const vmi = vmiIn('Running');
  const status: VmiStatus = { ...vmi.status, nodeName: 'a', migrationState: { ...open, ...state } };
  const local = { key: 'shop/web', uid: 'u', vmi: { ...vmi, status }, pod: { metadata: pod } as Persisted<Pod> };
  const vmiStatus = async (_: unknown, written: VmiStatus) => done.push(written.migrationState?.failureReason ?? '');
  const mayGo = await incoming.withdraw(local as LocalVmi, { vmiStatus } as unknown as StatusWriter);
  return { mayGo, done };
}

const ENDED = 'the launcher on node b has ended before the guest came';

it.each<[string, Case, mayGo: boolean, done: string[]]>([
  ['goes while its guest was to come', {}, true, [ENDED]],
  ['goes before its source has begun', { state: { startTimestamp: undefined } }, true, [ENDED]],
  ['goes because somebody wanted it', { state: { abortRequested: true } }, true, [ABORTED]],
  ['has a domain that waits', { domain: { state: 'paused', reason: 'migration' } }, true, ['destroyed', ENDED]],
  ['has its guest', { domain: { state: 'running', reason: 'migrated' } }, false, []],
  ['stays', { pod: { name: 'to' } }, true, []],
  ['is not the one of the migration', { pod: { ...deleted, name: 'other' } }, true, []],
  ['goes after its migration', { state: { completed: true } }, true, []],
  ['was given up before', { state: { failureReason: 'node b is off' } }, true, []],
  ['goes on another node', { state: { targetNode: 'c' } }, true, []],
])('a launcher that %s', async (_, given, mayGo, done) => {
  expect(await withdrawn(given)).toEqual({ mayGo, done });
});
