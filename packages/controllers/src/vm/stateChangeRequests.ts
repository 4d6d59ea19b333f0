import type { Vm, VmStatus } from '@vireo/api/kinds/kubevirt/vm.ts';
import { isFinal, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';

type Requests = NonNullable<VmStatus['stateChangeRequests']>;

/** Only the first request counts: those after it wait until it is done. */
const currentRequest = ({ status }: Vm): Requests[number] | undefined => status?.stateChangeRequests?.[0];

export const hasStartRequest = (vm: Vm): boolean => currentRequest(vm)?.action === 'Start';

/** Whether the start that is asked for is one with the guest held. */
export const isPausedStart = (vm: Vm): boolean => hasStartRequest(vm) && currentRequest(vm)?.data?.paused === 'true';

export const isStopRequestedFor = (vm: Vm, vmi: Vmi): boolean => {
  const request = currentRequest(vm);
  return request?.action === 'Stop' && request.uid === vmi.metadata.uid;
};

/** The requests without the first, if that is done: stopped is what is not there, started what lives. */
export function pendingRequests(requests: Requests | undefined, vmi: Vmi | undefined): Requests | undefined {
  const [first, ...rest] = requests ?? [];
  if (!first) return requests;
  const isDone = first.action === 'Stop' ? first.uid !== vmi?.metadata.uid || !vmi : vmi !== undefined && !isFinal(vmi);
  return isDone ? rest : requests;
}

/** The requests with a start at the end, once. */
export const withStartRequest = (requests: Requests | undefined): Requests =>
  requests?.some(({ action }) => action === 'Start') ? requests : [...(requests ?? []), { action: 'Start' }];
