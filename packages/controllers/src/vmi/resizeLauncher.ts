import { ApiError, type Persisted, type Pod } from '@vireo/api';
import { setConditions } from '@vireo/api/kinds/kubevirt/conditions.ts';
import {
  HOT_CHANGES,
  isAskedFor,
  isReleased,
  LAUNCHER_RESIZED,
  RESIZE_REFUSED,
} from '@vireo/api/kinds/kubevirt/liveUpdate.ts';
import { isHandedOff } from '@vireo/api/kinds/kubevirt/migration.ts';
import { isActive, isRunning, type Vmi, type VmiStatus } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { compareQuantities } from '@vireo/api/quantity.ts';
import { type ClusterConfig, type LauncherResources, launcherResources } from '@vireo/hypervisor';
import { bytesOf } from '@vireo/hypervisor/domainSpec.ts';
import type { VmiActions } from './act.ts';

type Amounts = Readonly<Record<string, string | number>>;

const COUNTED = ['cpu', 'memory'] as const;

/** What a launcher that runs should request instead; undefined where it requests that. */
export function resizedLauncher(vmi: Vmi, pod: Persisted<Pod>, config: ClusterConfig): LauncherResources | undefined {
  const { requests = {}, limits = {} } = pod.spec?.containers[0]?.resources ?? {};
  const wanted = launcherResources(withMemoryInUse(vmi), config);
  const before = { requests: counted(requests), limits: counted(limits) };
  // A limit that a namespace has given the launcher is not ours to take away.
  const after = {
    requests: { ...before.requests, ...counted(wanted.requests) },
    limits: { ...before.limits, ...counted(wanted.limits) },
  };
  const isSame = (['requests', 'limits'] as const).every((kind) =>
    COUNTED.every((name) => compareQuantities(after[kind][name] ?? 0, before[kind][name] ?? 0) === 0),
  );
  return isSame ? undefined : after;
}

/** A guest that is to have less memory has it until it gives it back. */
function withMemoryInUse(vmi: Vmi): Vmi {
  const { domain } = vmi.spec;
  const { guestCurrent } = vmi.status?.memory ?? {};
  const isMore = (bytesOf(guestCurrent) ?? 0n) > (bytesOf(domain.memory?.guest) ?? 0n);
  if (!isMore || !domain.memory) return vmi;
  return { ...vmi, spec: { ...vmi.spec, domain: { ...domain, memory: { ...domain.memory, guest: guestCurrent } } } };
}

const counted = (amounts: Amounts): Record<string, string> =>
  Object.fromEntries(COUNTED.flatMap((name) => (amounts[name] === undefined ? [] : [[name, String(amounts[name])]])));

/** Whether a launcher may have to follow the CPUs and the memory of its guest. */
export const mayResize = (vmi: Vmi): boolean =>
  isRunning(vmi) &&
  isActive(vmi) &&
  !isHandedOff(vmi) &&
  HOT_CHANGES.some((change) => isReleased(vmi, change) || isAskedFor(vmi, change));

/**
 * Has a launcher request what its guest is about to get, and lets the guest's node know; or what the guest has given
 * back. Returns the status with the news.
 */
export async function resizeLauncher(
  vmi: Vmi,
  pod: Persisted<Pod>,
  status: VmiStatus,
  context: { readonly config: ClusterConfig; readonly now: Date },
  act: VmiActions,
): Promise<VmiStatus> {
  const asked = HOT_CHANGES.filter((change) => isAskedFor(vmi, change));
  const resources = resizedLauncher(vmi, pod, context.config);
  const say = (reason: string, message?: string): VmiStatus => {
    const drafts = asked.map((type) => ({ type, status: 'True', reason, message }));
    const done = HOT_CHANGES.filter((change) => isReleased(vmi, change));
    return { ...status, conditions: setConditions(status.conditions, drafts, context.now, done) };
  };
  try {
    if (resources) await act.resizePod(pod, resources);
    return say(LAUNCHER_RESIZED);
  } catch (error) {
    if (!(error instanceof ApiError) || !REFUSALS.includes(error.status.reason ?? '')) throw error;
    const message = `the launcher pod ${pod.metadata.name} cannot be resized: ${error.message}`;
    return say(RESIZE_REFUSED, message);
  }
}

/** A quota that is used up, or a server that cannot resize pods. */
const REFUSALS = ['Forbidden', 'Invalid', 'NotFound', 'MethodNotAllowed'];

/** A quota may have room later; nothing tells when. */
export const RESIZE_AGAIN_MS = 15_000;

/** Whether a change waits for a launcher that cannot be resized now. */
export const isResizeRefused = ({ conditions }: VmiStatus): boolean =>
  (conditions ?? []).some(({ status, reason }) => status === 'True' && reason === RESIZE_REFUSED);
