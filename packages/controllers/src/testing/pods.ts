import type { Persisted, Pod, PodStatus } from '@vireo/api';

import { UNPAUSED_CONDITION } from '@vireo/api/kinds/kubevirt/names.ts';

import { frozen } from './objects.ts';

type Container = Partial<NonNullable<PodStatus['containerStatuses']>[number]>;

/** A launcher for tables of cases, frozen as those of informers are. */
export const podWith = (
  {
    containerStatuses = [],
    ...status
  }: Omit<PodStatus, 'containerStatuses'> & { containerStatuses?: Container[] } = {},
  metadata: Pod['metadata'] = {},
): Persisted<Pod> =>
  frozen({
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
