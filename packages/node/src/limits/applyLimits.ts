import type { Pod } from '@vireo/api';
import { MEMORY_OVERHEAD_ANNOTATION } from '@vireo/api/kinds/kubevirt/names.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { toBytes } from '@vireo/api/quantity.ts';
import { type GuestLimits, guestLimits } from '@vireo/hypervisor';
import type { NodeContext } from '../context.ts';
import { processesOf } from '../guests/processes.ts';
import { guestPid } from '../shutdown/guestProcesses.ts';
import { COMPUTE, launcherOptions } from '../vmi/launcher.ts';
import type { LocalVmi } from '../vmi/localVmi.ts';
import { isRefusal } from './groupTree.ts';

/** When limits are tried again that could not be set, such as while systemd is busy. */
const RETRY_MS = 15_000;

/** The limits of a VMI by its launcher. */
export function limitsOf(vmi: VirtualMachineInstance, pod: Pod): GuestLimits {
  const overhead = pod.metadata.annotations?.[MEMORY_OVERHEAD_ANNOTATION] ?? '';
  const helpers = (pod.spec?.containers ?? []).filter(({ name }) => name !== COMPUTE);
  const helperBytes = helpers.map(({ resources }) => toBytes(resources?.limits?.memory ?? 0));
  return guestLimits(vmi, {
    resources: pod.spec?.containers.find(({ name }) => name === COMPUTE)?.resources,
    overheadBytes: helperBytes.reduce((sum, bytes) => sum + bytes, /^\d+$/.test(overhead) ? BigInt(overhead) : 0n),
    isEmulated: launcherOptions(pod).useEmulation,
  });
}

const isSame = (one: GuestLimits | undefined, other: GuestLimits): boolean =>
  one !== undefined && Object.entries(other).every(([name, value]) => one[name as keyof GuestLimits] === value);

/**
 * Gives a running guest the limits that its VMI and its launcher ask for, unless it has them. A guest that cannot be
 * limited goes on; its VMI gets an event. Says after how long to try again, if that may help.
 */
export async function applyLimits(
  { key, uid, vmi, pod, user, cache }: Pick<LocalVmi, 'key' | 'uid' | 'vmi' | 'pod' | 'user' | 'cache'>,
  { groups, layout, recorder, clock }: Pick<NodeContext, 'groups' | 'layout' | 'recorder' | 'clock'>,
): Promise<number | undefined> {
  if (!vmi || !pod || !groups.isEnabled) return undefined;
  const limits = limitsOf(vmi, pod);
  if (isSame(cache.limits, limits)) return undefined;
  const waitMs = (cache.limitsRetryAtMs ?? 0) - clock.now();
  if (waitMs > 0) return waitMs;
  try {
    const pid = await guestPid(layout, key);
    // It has ended in the meantime.
    if (pid === undefined) return undefined;
    await groups.limit(uid, pid, limits);
    // Its TPM waits for it. Those who share directories with it have joined when they were started.
    const helpers = user && vmi.spec.domain.devices.tpm ? await processesOf(user.uid) : [];
    for (const helper of helpers) await groups.join(uid, helper);
    cache.limits = limits;
    delete cache.limitsRetryAtMs;
    return undefined;
  } catch (error) {
    const isToldBefore = cache.limitsRetryAtMs !== undefined;
    if (!isToldBefore)
      recorder.event(vmi, 'Warning', 'LimitsFailed', `the guest runs without limits: ${(error as Error).message}`);
    // What the kernel refuses once it refuses always: not tried again until they change.
    if (isRefusal(error as Error)) {
      cache.limits = limits;
      delete cache.limitsRetryAtMs;
      return undefined;
    }
    cache.limitsRetryAtMs = clock.now() + RETRY_MS;
    return RETRY_MS;
  }
}

/** Puts a process that serves a guest into the group of the guest. One that cannot be limited serves all the same. */
export const joinGuest =
  ({ uid, vmi }: Pick<LocalVmi, 'uid' | 'vmi'>, { groups, log }: Pick<NodeContext, 'groups' | 'log'>) =>
  (pid: number): Promise<void> =>
    groups.join(uid, pid).catch((error: unknown) => {
      log.warn('a process that serves a guest is not limited', vmi, { pid, error });
    });
