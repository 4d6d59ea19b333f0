import type { Node, Persisted } from '@vireo/api';
import {
  type CpuManagerPolicy,
  cpuManagerAnnotation,
  isCpuManagerUpdating,
} from '@vireo/api/kinds/harvester/cpuManager.ts';
import { keyOf } from '@vireo/kube';
import type { SettledPlan } from '../../actions/action.ts';
import { harvesterAction } from '../action.ts';
import { guestsOf } from './guests.ts';
import { nodeConflict, PATCH_NODES } from './states.ts';

const hasCpuManager = ({ metadata }: Node): boolean => metadata.labels?.['kubevirt.io/cpumanager'] === 'true';

const expectSettled = (node: Persisted<Node>): void => {
  if (isCpuManagerUpdating(node)) throw nodeConflict(node, 'the policy of its CPU manager is being changed; wait');
};

const ask = (policy: CpuManagerPolicy): SettledPlan => ({
  type: 'write',
  writes: [
    { to: 'object', patch: { metadata: { annotations: cpuManagerAnnotation({ status: 'requested', policy }) } } },
  ],
});

export const enableCPUManager = harvesterAction('nodes')({
  name: 'enableCPUManager',
  method: 'PUT',
  minimumRole: 'nodes',
  summary: 'Lets VMs have CPUs of the node to themselves (`dedicatedCpuPlacement`).',
  needs: PATCH_NODES,
  isListed: (target) => !hasCpuManager(target.object) && !isCpuManagerUpdating(target.object),
  decide({ object }) {
    expectSettled(object);
    if (hasCpuManager(object)) throw nodeConflict(object, 'its CPU manager is enabled already');
    return ask('static');
  },
});

export const disableCPUManager = harvesterAction('nodes')({
  name: 'disableCPUManager',
  method: 'PUT',
  minimumRole: 'nodes',
  summary: 'Lets no VM have CPUs of the node to itself. Fails while a running VM has some.',
  needs: [...PATCH_NODES, { apiGroups: ['kubevirt.io'], resources: ['virtualmachineinstances'], verbs: ['list'] }],
  isListed: (target) => hasCpuManager(target.object) && !isCpuManagerUpdating(target.object),
  decide({ object }) {
    expectSettled(object);
    if (!hasCpuManager(object)) throw nodeConflict(object, 'its CPU manager is disabled already');
    return {
      type: 'lookup',
      async decide({ client }) {
        const users = (await guestsOf(client, object)).filter(({ spec }) => spec.domain.cpu?.dedicatedCpuPlacement);
        if (users.length > 0)
          throw nodeConflict(object, `VMs have CPUs of it to themselves; stop or migrate them first: ${names(users)}`);
        return ask('none');
      },
    };
  },
});

const names = (guests: Awaited<ReturnType<typeof guestsOf>>): string => guests.map(keyOf).sort().join(', ');
