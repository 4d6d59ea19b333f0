import {
  conditionOf,
  DaemonSet,
  Deployment,
  findCondition,
  mergePatchBetween,
  type Node,
  type Persisted,
} from '@vireo/api';
import type { Condition } from '@vireo/api/kinds/kubevirt/conditions.ts';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { KUBEVIRT_NAMESPACE } from '@vireo/api/kinds/kubevirt/names.ts';
import type { Client, Recorder } from '@vireo/kube';
import { componentDeployment, DAEMON_SET, DEPLOYMENTS, handlerDaemonSet } from './components.ts';
import type { Health } from './health.ts';
import { agents, daemonSetStatus, deploymentStatus, kubeVirtStatus } from './status.ts';

/** All that is known of the installation. */
export interface Installation {
  readonly kubevirt: Persisted<KubeVirt>;
  readonly deployments: readonly Deployment[];
  readonly daemonSet: DaemonSet | undefined;
  readonly nodes: readonly Persisted<Node>[];
  readonly health: Health;
  readonly architecture: string;
  /** Whether the parts are shown as objects of their own. */
  readonly showsComponents: boolean;
  readonly now: Date;
}

/** Shows the parts of the installation as objects, where that is wanted, each with its true status, and sums them up. */
export async function reconcileKubeVirt(installation: Installation, client: Client, recorder: Recorder): Promise<void> {
  const { kubevirt, nodes, health, architecture, showsComponents, now } = installation;
  if (showsComponents) await Promise.all([showDeployments(installation, client), showDaemonSet(installation, client)]);
  const { all, ready } = agents(nodes);
  const unready = [...DEPLOYMENTS.filter((name) => !health.isReady(name)), ...(all > ready ? [DAEMON_SET] : [])];
  const hypervisorProblems = (health.hypervisorProblems?.() ?? []).map(
    ({ plugin, problem }) => `The hypervisor plug-in ${plugin} is not used: ${problem}.`,
  );
  const after = kubeVirtStatus(kubevirt, { unready, nodes, hypervisorProblems, architecture }, now);
  const status = mergePatchBetween(kubevirt.status ?? {}, after);
  const { name, namespace } = kubevirt.metadata;
  if (!status) return;
  await client.of(KubeVirt).patchStatus(name, { status }, { namespace, type: 'merge' });
  recordHypervisorProblem(kubevirt, after.conditions, recorder);
}

/** Records an event when the problem with hypervisors is new. */
function recordHypervisorProblem(
  kubevirt: KubeVirt,
  after: readonly Condition[] | undefined,
  recorder: Recorder,
): void {
  const { status, reason = '', message = '' } = findCondition(after, 'Degraded') ?? {};
  if (status !== 'True' || !reason.startsWith('Hypervisor')) return;
  if (conditionOf(kubevirt, 'Degraded')?.message === message) return;
  recorder.event(kubevirt, 'Warning', reason, message);
}

async function showDeployments({ deployments, health, now }: Installation, client: Client): Promise<void> {
  const resource = client.of(Deployment);
  await Promise.all(
    DEPLOYMENTS.map(async (name) => {
      const found = deployments.find(({ metadata }) => metadata.name === name);
      const deployment = found ?? (await resource.createOrGet(componentDeployment(name))).object;
      const status = mergePatchBetween(
        deployment.status ?? {},
        deploymentStatus(deployment, health.isReady(name), now),
      );
      if (status) await resource.patchStatus(name, { status }, { namespace: KUBEVIRT_NAMESPACE, type: 'merge' });
    }),
  );
}

async function showDaemonSet({ daemonSet: found, nodes }: Installation, client: Client): Promise<void> {
  const resource = client.of(DaemonSet);
  const daemonSet = found ?? (await resource.createOrGet(handlerDaemonSet())).object;
  const status = mergePatchBetween(daemonSet.status ?? {}, daemonSetStatus(daemonSet, nodes));
  if (status) await resource.patchStatus(DAEMON_SET, { status }, { namespace: KUBEVIRT_NAMESPACE, type: 'merge' });
}
