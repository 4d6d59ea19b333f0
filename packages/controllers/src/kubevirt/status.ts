import { type DaemonSet, type Deployment, type Node, timestamp, withCondition } from '@vireo/api';
import type { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { restated, type Statement } from '../conditions.ts';
import { SCHEDULABLE_LABEL } from '../wellKnown.ts';
import { KUBEVIRT_VERSION, REGISTRY } from './components.ts';

type KubeVirtStatus = NonNullable<KubeVirt['status']>;
type DeploymentStatus = NonNullable<Deployment['status']>;
type DaemonSetStatus = NonNullable<DaemonSet['status']>;

/** The status of the installation: which of its parts are not well, by name. */
export function kubeVirtStatus(
  kubevirt: KubeVirt,
  unready: readonly string[],
  architecture: string,
  now: Date,
): KubeVirtStatus {
  const before = kubevirt.status ?? {};
  return {
    ...before,
    phase: 'Deployed',
    observedGeneration: kubevirt.metadata.generation ?? 0,
    conditions: restated(before.conditions, statements(unready), [], now),
    defaultArchitecture: architecture,
    operatorVersion: KUBEVIRT_VERSION,
    observedKubeVirtVersion: KUBEVIRT_VERSION,
    targetKubeVirtVersion: KUBEVIRT_VERSION,
    observedKubeVirtRegistry: REGISTRY,
    targetKubeVirtRegistry: REGISTRY,
    outdatedVirtualMachineInstanceWorkloads: 0,
  };
}

function statements(unready: readonly string[]): Statement[] {
  const isWell = unready.length === 0;
  const reason = isWell ? 'AllComponentsReady' : 'ComponentsNotReady';
  const message = isWell ? 'All components are ready.' : `Not ready: ${unready.join(', ')}.`;
  const status = (yes: boolean) => (yes ? 'True' : 'False');
  return [
    { type: 'Created', status: 'True', reason: 'AllResourcesCreated', message: 'All resources were created.' },
    { type: 'Available', status: status(isWell), reason, message },
    { type: 'Progressing', status: 'False', reason, message },
    { type: 'Degraded', status: status(!isWell), reason, message },
  ];
}

/** The status of the Deployment of a part that runs in one copy. */
export function deploymentStatus(deployment: Deployment, isReady: boolean, now: Date): DeploymentStatus {
  const ready = isReady ? 1 : 0;
  const before = deployment.status?.conditions;
  const available = {
    type: 'Available',
    status: isReady ? 'True' : 'False',
    reason: isReady ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
    message: `Deployment ${isReady ? 'has' : 'does not have'} minimum availability.`,
  };
  const known = before?.find(({ type }) => type === 'Available');
  const isSame = known?.status === available.status;
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas: 1,
    updatedReplicas: 1,
    readyReplicas: ready,
    availableReplicas: ready,
    unavailableReplicas: 1 - ready,
    conditions:
      before && isSame ? before : withCondition(before, { ...available, lastUpdateTime: timestamp(now) }, now),
  };
}

/** The status of the DaemonSet of agents: one on every node that runs machines, well where the node takes some. */
export function daemonSetStatus(daemonSet: DaemonSet, nodes: readonly Node[]): DaemonSetStatus {
  const agents = nodes.filter(({ metadata }) => metadata.labels?.[SCHEDULABLE_LABEL] !== undefined);
  const ready = agents.filter(({ metadata }) => metadata.labels?.[SCHEDULABLE_LABEL] === 'true').length;
  return {
    observedGeneration: daemonSet.metadata.generation ?? 0,
    desiredNumberScheduled: agents.length,
    currentNumberScheduled: agents.length,
    updatedNumberScheduled: agents.length,
    numberReady: ready,
    numberAvailable: ready,
    numberUnavailable: agents.length - ready,
    numberMisscheduled: 0,
  };
}
