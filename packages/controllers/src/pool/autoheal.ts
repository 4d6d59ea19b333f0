import { conditionOf } from '@vireo/api';
import { parseDuration } from '@vireo/api/duration.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { VirtualMachinePoolAutohealingStrategy } from '@vireo/api/kinds/pool/poolStrategies.ts';

const DEFAULT_THRESHOLD = 3;
const DEFAULT_DURATION_MS = 300_000;

/** What a VM that does not get up says of itself. */
const FAILING = new Set([
  'CrashLoopBackOff',
  'ErrorUnschedulable',
  'DataVolumeError',
  'ErrorPvcNotFound',
  'ErrImagePull',
  'ImagePullBackOff',
]);

type Strategy = VirtualMachinePoolAutohealingStrategy;

/** How long until the VM has failed to start for so long that it is replaced; 0: it has. Infinity: it does not fail. */
export function healedInMs(vm: Vm, { startUpFailureThreshold, minFailingToStartDuration }: Strategy, nowMs: number) {
  const failures = vm.status?.startFailure?.consecutiveFailCount ?? 0;
  if (failures >= Number(startUpFailureThreshold ?? DEFAULT_THRESHOLD)) return 0;
  const ready = conditionOf(vm, 'Ready');
  if (!FAILING.has(vm.status?.printableStatus ?? '') || ready?.status !== 'False') return Number.POSITIVE_INFINITY;
  const failingMs = nowMs - Date.parse(ready.lastTransitionTime ?? '');
  const minimumMs = (minFailingToStartDuration && parseDuration(minFailingToStartDuration)) || DEFAULT_DURATION_MS;
  return Number.isNaN(failingMs) ? minimumMs : Math.max(0, minimumMs - failingMs);
}
