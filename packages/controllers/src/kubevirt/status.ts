import {
  type ConditionDraft,
  conditionOf,
  type DaemonSet,
  type Deployment,
  mergeConditions,
  type Node,
  type Persisted,
  timestamp,
} from '@vireo/api';
import { setConditions } from '@vireo/api/kinds/kubevirt/conditions.ts';
import type { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { KUBEVIRT_VERSION, SCHEDULABLE_LABEL } from '@vireo/api/kinds/kubevirt/names.ts';
import { clusterConfig, hypervisorOf, missingHypervisorText } from '@vireo/hypervisor';
import { REGISTRY } from './components.ts';
import { hypervisorStatus } from './hypervisors.ts';

type KubeVirtStatus = NonNullable<KubeVirt['status']>;
type DeploymentStatus = NonNullable<Deployment['status']>;
type DaemonSetStatus = NonNullable<DaemonSet['status']>;

/** What the status of the installation tells of. */
export interface Observed {
  /** Parts that are not well, by name. */
  readonly unready: readonly string[];
  readonly nodes: readonly Persisted<Node>[];
  /** Hypervisors that were to be there and are not. */
  readonly hypervisorProblems?: readonly string[];
  /** Of VMs that name none. */
  readonly architecture: string;
}

/** The status of the installation: which of its parts are not well, by name. */
export function kubeVirtStatus(
  kubevirt: KubeVirt,
  { unready, nodes, hypervisorProblems = [], architecture }: Observed,
  now: Date,
): KubeVirtStatus {
  const before = kubevirt.status ?? {};
  const config = clusterConfig(kubevirt);
  const { activeHypervisor: _, ...rest } = before;
  const active = config.missingHypervisor === undefined ? hypervisorOf(config) : undefined;
  const missing = missingHypervisorText(config);
  return {
    ...rest,
    ...(active !== undefined && { activeHypervisor: active }),
    hypervisors: hypervisorStatus(nodes, active ?? config.missingHypervisor ?? ''),
    phase: 'Deployed',
    observedGeneration: kubevirt.metadata.generation ?? 0,
    conditions: setConditions(before.conditions, conditionDrafts({ unready, missing, hypervisorProblems }), now),
    defaultArchitecture: architecture,
    operatorVersion: KUBEVIRT_VERSION,
    observedKubeVirtVersion: KUBEVIRT_VERSION,
    targetKubeVirtVersion: KUBEVIRT_VERSION,
    observedKubeVirtRegistry: REGISTRY,
    targetKubeVirtRegistry: REGISTRY,
    // Whoever brings guests up to date counts them.
    outdatedVirtualMachineInstanceWorkloads: before.outdatedVirtualMachineInstanceWorkloads ?? 0,
  };
}

interface Problems {
  readonly unready: readonly string[];
  /** Why no new VM starts. */
  readonly missing: string | undefined;
  /** What keeps hypervisors away, whether they are in use or not. */
  readonly hypervisorProblems: readonly string[];
}

function conditionDrafts({ unready, missing, hypervisorProblems }: Problems): ConditionDraft[] {
  const areReady = unready.length === 0;
  const troubles = [
    ...(areReady ? [] : [`Not ready: ${unready.join(', ')}.`]),
    ...(missing === undefined ? [] : [`New VMs cannot start: ${missing}.`]),
    ...hypervisorProblems,
  ];
  const isWell = areReady && missing === undefined;
  const reasonOf = (isFine: boolean): string => {
    if (isFine) return 'AllComponentsReady';
    if (!areReady) return 'ComponentsNotReady';
    return missing === undefined ? 'HypervisorPluginFailed' : 'HypervisorNotAvailable';
  };
  const reason = reasonOf(isWell);
  const message = isWell ? 'All components are ready.' : troubles.join(' ');
  const status = (yes: boolean) => (yes ? 'True' : 'False');
  return [
    { type: 'Created', status: 'True', reason: 'AllResourcesCreated', message: 'All resources were created.' },
    { type: 'Available', status: status(isWell), reason, message },
    { type: 'Progressing', status: 'False', reason, message },
    troubles.length === 0
      ? { type: 'Degraded', status: 'False', reason, message }
      : { type: 'Degraded', status: 'True', reason: reasonOf(false), message: troubles.join(' ') },
  ];
}

/** The status of the Deployment of a part that runs in one copy. */
export function deploymentStatus(deployment: Deployment, isReady: boolean, now: Date): DeploymentStatus {
  const ready = isReady ? 1 : 0;
  const available = {
    type: 'Available',
    status: isReady ? 'True' : 'False',
    reason: isReady ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
    message: `Deployment ${isReady ? 'has' : 'does not have'} minimum availability.`,
  };
  const isSaid = conditionOf(deployment, 'Available')?.status === available.status;
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas: 1,
    updatedReplicas: 1,
    readyReplicas: ready,
    availableReplicas: ready,
    unavailableReplicas: 1 - ready,
    // What somebody else says of the same status stays.
    conditions: mergeConditions(deployment.status?.conditions, isSaid ? [] : [available], now, {
      stamp: { lastUpdateTime: timestamp(now) },
    }),
  };
}

/** The nodes that run VMs, and those of them that take some now. */
export function agents(nodes: readonly Persisted<Node>[]): { readonly all: number; readonly ready: number } {
  const own = nodes.filter(({ metadata }) => metadata.labels?.[SCHEDULABLE_LABEL] !== undefined);
  return { all: own.length, ready: own.filter(takesVms).length };
}

/** A node is open by its label, and able by its condition: it is not while its libvirt does not answer. */
const takesVms = ({ metadata, status }: Persisted<Node>): boolean =>
  metadata.labels?.[SCHEDULABLE_LABEL] === 'true' && (conditionOf({ status }, 'Ready')?.status ?? 'True') === 'True';

/** The status of the DaemonSet of agents: one on every node that runs VMs. */
export function daemonSetStatus(daemonSet: DaemonSet, nodes: readonly Persisted<Node>[]): DaemonSetStatus {
  const { all, ready } = agents(nodes);
  return {
    observedGeneration: daemonSet.metadata.generation ?? 0,
    desiredNumberScheduled: all,
    currentNumberScheduled: all,
    updatedNumberScheduled: all,
    numberReady: ready,
    numberAvailable: ready,
    numberUnavailable: all - ready,
    numberMisscheduled: 0,
  };
}
