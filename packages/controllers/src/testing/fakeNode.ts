import { isDeleting, isReason, Node, type Persisted, Pod, timestamp } from '@vireo/api';
import { SCHEDULABLE_LABEL, UNPAUSED_CONDITION } from '@vireo/api/kinds/kubevirt/names.ts';
import { isFinal, Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type Client, Informers } from '@vireo/kube';

export const NODE_NAME = 'fake-node';

/** What happens to guests on the fake node. */
export interface FakeNodeOptions {
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
  const { prepares = () => true, crashes = () => false } = options;
  await register(client);
  const informers = new Informers(client);
  const pods = informers.for(Pod, { fieldSelector: `spec.nodeName=${NODE_NAME}` });
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
    const pod = pods.list().find((each) => ownerUid(each) === vmi?.metadata.uid);
    if (!vmi || !pod) return;
    if (isDeleting(pod)) {
      if (!isFinal(vmi)) return patchPhase(vmi, 'Succeeded');
      await client.of(Pod).delete(pod.metadata.name, { ...at(pod), gracePeriodSeconds: 0 });
    } else if (pod.status?.phase === 'Pending' && prepares(pod)) await patchPod(pod, preparedStatus());
    else if (vmi.status?.phase === 'Scheduled') {
      await patchPhase(vmi, crashes(vmi) ? 'Failed' : 'Running');
    } else if (isFinal(vmi) && pod.status?.phase === 'Running') await patchPod(pod, { phase: 'Succeeded' });
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

  const ofPod = (pod: Persisted<Pod>): void => {
    const owner = pod.metadata.ownerReferences?.[0];
    if (owner) look(`${pod.metadata.namespace}/${owner.name}`);
  };
  const ofVmi = ({ metadata }: Vmi): void => look(`${metadata.namespace}/${metadata.name}`);
  pods.on({ added: ofPod, updated: (_, pod) => ofPod(pod) });
  vmis.on({ added: ofVmi, updated: (_, vmi) => ofVmi(vmi) });
  informers.start(signal);
  await informers.whenSynced();
}

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

async function register(client: Client): Promise<void> {
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
      name: NODE_NAME,
      labels: {
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
  await client.of(Node).patchStatus(NODE_NAME, { status }, { type: 'merge' });
}
