import { Node, timestamp } from '@vireo/api';
import { HEARTBEAT_ANNOTATION, SCHEDULABLE_LABEL } from '@vireo/api/kinds/kubevirt/names.ts';
import { DEVICE_PREFIX, hypervisorLabels, resolveLabeller, SIMULATED_TAINT } from '@vireo/hypervisor';
import { type Client, type Draft, ignoreAlreadyExists } from '@vireo/kube';
import { readyCondition } from '../registration/readiness.ts';

/** Machine types that a launcher may look for; a stub can pretend to be any. */
const MACHINE_TYPES = ['q35', 'pc-q35-9.0', 'virt', 's390-ccw-virtio'];

/** Room for as many VMs as anybody simulates. */
const RESOURCES = {
  cpu: '100k',
  memory: '1Pi',
  'ephemeral-storage': '1Pi',
  pods: '110k',
  [`${DEVICE_PREFIX}stub`]: '110k',
};

export const simulatedName = (index: number): string => `simulated-${index}`;

/** A node that exists in the API alone. Only stub VMs put up with it. */
const simulatedNode = (name: string, architecture: string, now: Date): Draft<Node> => ({
  metadata: {
    name,
    labels: {
      'kubernetes.io/arch': architecture,
      'kubernetes.io/hostname': name,
      'kubernetes.io/os': 'linux',
      [SCHEDULABLE_LABEL]: 'true',
      'kubevirt.io/cpumanager': 'false',
      ...hypervisorLabels('stub', resolveLabeller('stub', false), {
        architecture,
        machineTypes: MACHINE_TYPES,
        cpuModels: [],
        cpuFeatures: [],
      }),
    },
    annotations: { [HEARTBEAT_ANNOTATION]: timestamp(now) },
  },
  spec: { taints: [SIMULATED_TAINT] },
});

const statusOf = (name: string, architecture: string, now: Date): NonNullable<Node['status']> => ({
  capacity: RESOURCES,
  allocatable: RESOURCES,
  conditions: [
    { ...readyCondition(undefined), message: 'the node is simulated', ...at(now) },
    { type: 'Simulated', status: 'True', reason: 'Stub', message: 'VMs here have no guests', ...at(now) },
  ],
  addresses: [{ type: 'Hostname', address: name }],
  nodeInfo: {
    architecture,
    operatingSystem: 'linux',
    kernelVersion: 'none',
    osImage: 'simulated',
    machineID: name,
    systemUUID: name,
    bootID: name,
    containerRuntimeVersion: 'stub://1',
    kubeletVersion: 'v1.36.0+vireo',
    kubeProxyVersion: '',
  },
});

const at = (now: Date) => ({ lastHeartbeatTime: timestamp(now), lastTransitionTime: timestamp(now) });

/** Makes the node known, or brings what the server has of it up to date. */
export async function registerSimulated(client: Client, name: string, architecture: string, now: Date): Promise<void> {
  const nodes = client.of(Node);
  const draft = simulatedNode(name, architecture, now);
  const created = await nodes.create(draft).catch(ignoreAlreadyExists);
  if (!created) await nodes.patch(name, { metadata: { ...draft.metadata } }, { type: 'merge' });
  await nodes.patchStatus(name, { status: statusOf(name, architecture, now) }, { type: 'merge' });
}
