import { hasEnded, isDeleting, isReason, Node, type Persisted, Pod, timestamp } from '@vireo/api';
import { launcherOf } from '@vireo/api/kinds/kubevirt/attachmentPod.ts';
import { isHandedOff, MIGRATION_JOB_LABEL } from '@vireo/api/kinds/kubevirt/migration.ts';
import { NODE_NAME_LABEL, SCHEDULABLE_LABEL, UNPAUSED_CONDITION } from '@vireo/api/kinds/kubevirt/names.ts';
import { isFinal, Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type Client, Informers } from '@vireo/kube';

export const NODE_NAME = 'fake-node';

/** What happens to guests on the fake node. */
export interface FakeNodeOptions {
  /** Default: `NODE_NAME`. */
  readonly name?: string;
  /** What becomes of a guest that moves away from the node; default: it arrives. */
  readonly moves?: (vmi: Vmi) => 'arrives' | 'fails' | 'hangs';
  /** Whether the launcher gets ready; a node without images never gets there. */
  readonly prepares?: (pod: Pod) => boolean;
  /** Whether a guest that is started fails at once. */
  readonly crashes?: (vmi: Vmi) => boolean;
}

/**
 * Stands in for the node's agent. The real one needs libvirt and QEMU, takes seconds and belongs to another package;
 * here only its words matter: what it writes into pods and VMIs, in the order in which it writes them.
 */
export async function startFakeNode(client: Client, signal: AbortSignal, options: FakeNodeOptions = {}): Promise<void> {
  const { name = NODE_NAME, prepares = () => true, crashes = () => false, moves = () => 'arrives' } = options;
  await register(client, name);
  const informers = new Informers(client);
  const pods = informers.for(Pod, { fieldSelector: `spec.nodeName=${name}` });
  const vmis = informers.for(Vmi);

  const look = (key: string): void => {
    step(key).catch((error: unknown) => {
      if (signal.aborted || isReason(error, 'NotFound')) return;
      if (!isReason(error, 'Conflict')) throw error;
      setImmediate(look, key);
    });
  };
  /** One step of one VMI; what it writes comes back as a change and leads to the next. */
  async function step(key: string): Promise<void> {
    const vmi = vmis.get(key);
    const own = pods.list().filter((each) => ownerUid(each) === vmi?.metadata.uid);
    // One that has ended is of a migration before, and goes when it is deleted.
    const pod = own.find(isDeleting) ?? own.find((each) => !hasEnded(each)) ?? own[0];
    if (!vmi || !pod) return;
    const isElsewhere = ![undefined, name].includes(vmi.status?.nodeName);
    if (isDeleting(pod)) {
      if (!isFinal(vmi) && !isElsewhere) return patchPhase(vmi, 'Succeeded');
      await client.of(Pod).delete(pod.metadata.name, { ...at(pod), gracePeriodSeconds: 0 });
    } else if (pod.status?.phase === 'Pending' && prepares(pod)) await patchPod(pod, preparedStatus());
    else if (isHandedOff(vmi)) await migrate(vmi);
    else if (isInVain(vmi, pod) && pod.status?.phase === 'Running') await patchPod(pod, { phase: 'Failed' });
    else if (vmi.status?.phase === 'Scheduled' && !isElsewhere) {
      await patchPhase(vmi, crashes(vmi) ? 'Failed' : 'Running');
    } else if (isFinal(vmi) && pod.status?.phase === 'Running') await patchPod(pod, { phase: 'Succeeded' });
  }

  /** One step of a migration, as the agents of its two nodes take it. */
  async function migrate(vmi: Vmi): Promise<void> {
    const state = vmi.status?.migrationState ?? {};
    const patch = (migrationState: object, rest: object = {}, metadata: object = {}) =>
      client.of(Vmi).patchIfUnchanged(vmi, { metadata, status: { migrationState, ...rest } });
    if (state.targetNode === name) {
      if (!state.targetNodeAddress) await patch({ targetNodeAddress: '192.0.2.1' });
      else if (state.startTimestamp && !state.abortRequested && state.mode === 'Arrived') {
        const at = timestamp();
        const end = { targetNodeDomainDetected: true, targetNodeDomainReadyTimestamp: at, endTimestamp: at };
        const labels = { [NODE_NAME_LABEL]: name };
        await patch({ ...end, mode: 'PreCopy', completed: true }, { nodeName: name }, { labels });
      }
    } else if (state.sourceNode === name && state.targetNodeAddress) {
      const failed = { failed: true, completed: true, endTimestamp: timestamp() };
      if (state.abortRequested)
        await patch({ ...failed, abortStatus: 'Succeeded', failureReason: 'Live migration has been aborted' });
      else if (!state.startTimestamp) await patch({ startTimestamp: timestamp(), mode: 'PreCopy' });
      else if (moves(vmi) === 'fails') await patch({ ...failed, failureReason: 'the wire was cut' });
      // In place of the memory that goes over the wire.
      else if (moves(vmi) === 'arrives' && state.mode === 'PreCopy') await patch({ mode: 'Arrived' });
    }
  }

  async function patchPhase(vmi: Vmi, phase: string): Promise<void> {
    const known = vmi.status?.phaseTransitionTimestamps ?? [];
    const phaseTransitionTimestamps = [...known, { phase, phaseTransitionTimestamp: timestamp() }];
    const status = { phase, phaseTransitionTimestamps };
    await client.of(Vmi).patchIfUnchanged(vmi, { status });
  }
  const patchPod = async (pod: Persisted<Pod>, status: object): Promise<void> => {
    await client.of(Pod).patchStatus(pod.metadata.name, { status }, { ...at(pod), type: 'strategic' });
  };

  /** The pod that names what is plugged into a guest runs where it is, and goes when it is deleted. */
  async function attach(pod: Persisted<Pod>): Promise<void> {
    if (isDeleting(pod)) await client.of(Pod).delete(pod.metadata.name, { ...at(pod), gracePeriodSeconds: 0 });
    else if (pod.status?.phase === 'Pending') await patchPod(pod, { phase: 'Running' });
  }

  const ofPod = (pod: Persisted<Pod>): void => {
    if (launcherOf(pod)) {
      attach(pod).catch((error: unknown) => {
        if (!signal.aborted && !isReason(error, 'NotFound', 'Conflict')) throw error;
      });
      return;
    }
    const owner = pod.metadata.ownerReferences?.[0];
    if (owner) look(`${pod.metadata.namespace}/${owner.name}`);
  };
  const ofVmi = ({ metadata }: Vmi): void => look(`${metadata.namespace}/${metadata.name}`);
  pods.on({ added: ofPod, updated: (_, pod) => ofPod(pod) });
  vmis.on({ added: ofVmi, updated: (_, vmi) => ofVmi(vmi) });
  informers.start(signal);
  await informers.whenSynced();
}

/** Whether a launcher was made for a guest that has not come. */
const isInVain = ({ status }: Vmi, { metadata }: Pod): boolean => {
  const { failed, migrationUid } = status?.migrationState ?? {};
  return failed === true && metadata.labels?.[MIGRATION_JOB_LABEL] === migrationUid;
};

const ownerUid = ({ metadata }: Pod): string | undefined => metadata.ownerReferences?.[0]?.uid;
const at = ({ metadata }: { metadata: Pod['metadata'] }) => ({ namespace: metadata.namespace });

const preparedStatus = () => {
  const yes = (type: string) => ({ type, status: 'True', lastTransitionTime: timestamp() });
  return {
    phase: 'Running',
    conditions: ['Initialized', 'ContainersReady', 'Ready', UNPAUSED_CONDITION].map(yes),
    containerStatuses: [
      { name: 'compute', ready: true, restartCount: 0, image: 'i', imageID: '', state: { running: {} } },
    ],
  };
};

async function register(client: Client, name: string): Promise<void> {
  const resources = {
    cpu: '16',
    memory: '64Gi',
    pods: '1000',
    'ephemeral-storage': '100Gi',
    'devices.kubevirt.io/kvm': '1000',
    'devices.kubevirt.io/tun': '1000',
    'devices.kubevirt.io/vhost-net': '1000',
  };
  await client.of(Node).create({
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        [SCHEDULABLE_LABEL]: 'true',
        'kubernetes.io/arch': 'amd64',
        'hypervisor.node.kubevirt.io/name': 'qemu',
        'machine-type.node.kubevirt.io/q35': 'true',
      },
      annotations: { 'kubevirt.io/heartbeat': timestamp() },
    },
  });
  const conditions = [
    { type: 'Ready', status: 'True', lastHeartbeatTime: timestamp(), lastTransitionTime: timestamp() },
  ];
  const status = { capacity: resources, allocatable: resources, conditions };
  await client.of(Node).patchStatus(name, { status }, { type: 'merge' });
}
