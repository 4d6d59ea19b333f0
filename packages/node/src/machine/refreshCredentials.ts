import type { NodeContext } from '../context.ts';
import { hasAgentCredentials, syncCredentials } from './credentials.ts';
import type { Machine } from './machine.ts';
import { secretReader } from './prepare.ts';

/** How old what was last read of Secrets may be. */
const FRESH_MS = 10_000;

/** Keeps users of the guest in step with the Secrets of the machine, while the agent listens. */
export async function refreshCredentials({ vmi, domain, memory }: Machine, context: NodeContext): Promise<void> {
  if (!vmi || !domain || !hasAgentCredentials(vmi)) return;
  if (!domain.view.isAgentConnected || domain.state.state !== 'running') {
    // What comes next may be another system.
    memory.credentials = undefined;
    return;
  }
  const { libvirt, client, clock, recorder } = context;
  const { credentials: last } = memory;
  if (last && clock.now() - last.checkedAtMs < FRESH_MS) return;
  const world = { calls: libvirt.long, readSecret: secretReader(client, vmi), nowMs: clock.now() };
  memory.credentials = await syncCredentials(vmi, domain.ref, last, world);
  const { status, message } = memory.credentials?.condition ?? {};
  if (!status || (status === last?.condition.status && message === last.condition.message)) return;
  if (status === 'True')
    recorder.event(vmi, 'Normal', 'AccessCredentialsSyncSuccess', 'Access credentials sync successful.');
  else recorder.event(vmi, 'Warning', 'AccessCredentialsSyncFailed', `Access credentials sync failed: ${message}`);
}
