import type { NodeContext } from '../context.ts';
import { secretReader } from '../disks/objectReaders.ts';
import { syncCredentials } from './credentials.ts';
import type { RunningVmi } from './localVmi.ts';

/** Keeps users of the guest in step with the Secrets of the VMI. */
export async function refreshCredentials({ vmi, domain, cache }: RunningVmi, context: NodeContext): Promise<void> {
  const { libvirt, kubelet, clock, recorder } = context;
  const { credentials: last } = cache;
  const guest = { calls: libvirt.long, readSecret: secretReader(kubelet, vmi), nowMs: clock.now() };
  cache.credentials = await syncCredentials(vmi, domain.ref, last, guest);
  const { status, message } = cache.credentials?.condition ?? {};
  if (!status || (status === last?.condition.status && message === last.condition.message)) return;
  if (status === 'True')
    recorder.event(vmi, 'Normal', 'AccessCredentialsSyncSuccess', 'Access credentials sync successful.');
  else recorder.event(vmi, 'Warning', 'AccessCredentialsSyncFailed', `Access credentials sync failed: ${message}`);
}
