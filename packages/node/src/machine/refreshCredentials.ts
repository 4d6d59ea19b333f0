import type { NodeContext } from '../context.ts';
import { syncCredentials } from './credentials.ts';
import type { RunningMachine } from './machine.ts';
import { secretReader } from './prepare.ts';

/** Keeps users of the guest in step with the Secrets of the machine. */
export async function refreshCredentials({ vmi, domain, memory }: RunningMachine, context: NodeContext): Promise<void> {
  const { libvirt, client, clock, recorder } = context;
  const { credentials: last } = memory;
  const world = { calls: libvirt.long, readSecret: secretReader(client, vmi), nowMs: clock.now() };
  memory.credentials = await syncCredentials(vmi, domain.ref, last, world);
  const { status, message } = memory.credentials?.condition ?? {};
  if (!status || (status === last?.condition.status && message === last.condition.message)) return;
  if (status === 'True')
    recorder.event(vmi, 'Normal', 'AccessCredentialsSyncSuccess', 'Access credentials sync successful.');
  else recorder.event(vmi, 'Warning', 'AccessCredentialsSyncFailed', `Access credentials sync failed: ${message}`);
}
