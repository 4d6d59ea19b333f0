import { exists } from '../exists.ts';
import type { GuestUsers } from '../guests/users.ts';
import { KVM_DEVICE, type KvmProbe, probeKvm } from './probeKvm.ts';

/**
 * Tests whether guests can use KVM now, and says why not. That it was usable before counts once; a device that came later is tried anew. Guests with users of their own may not
 * be allowed what we are, so it is tried as one of them.
 */
export function kvmTest({ isUsable }: KvmProbe, users: GuestUsers | undefined): () => Promise<string | undefined> {
  let isKnownGood = isUsable && users?.common === undefined;
  return async () => {
    // It may be open to a group only, which guests are not in.
    if (users && (await exists(KVM_DEVICE))) await users.openDevice(KVM_DEVICE);
    const probe = isKnownGood ? { isUsable, reason: '' } : await probeKvm(users?.common);
    isKnownGood = false;
    return probe.isUsable ? undefined : probe.reason;
  };
}
