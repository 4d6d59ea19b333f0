import type { Pod, PodStatus } from '@vireo/api';
import { deepFreeze } from '@vireo/api/json.ts';
import { UNPAUSED_CONDITION } from '@vireo/api/kinds/kubevirt/names.ts';

type Container = Partial<NonNullable<PodStatus['containerStatuses']>[number]>;

/** A launcher for tables of cases, frozen as those of informers are. */
export const podWith = (
  {
    containerStatuses = [],
    ...status
  }: Omit<PodStatus, 'containerStatuses'> & { containerStatuses?: Container[] } = {},
  metadata: Pod['metadata'] = {},
): Pod =>
  deepFreeze({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'virt-launcher-web-x', namespace: 'shop', uid: 'pod-uid', ...metadata },
    spec: {
      nodeName: 'n1',
      containers: [{ name: 'compute', image: 'launcher:1' }],
      readinessGates: [{ conditionType: UNPAUSED_CONDITION }],
    },
    status: {
      ...status,
      containerStatuses: containerStatuses.map((container) => ({
        name: 'compute',
        image: 'launcher:1',
        imageID: '',
        ready: false,
        restartCount: 0,
        ...container,
      })),
    },
  });
