/** Names that KubeVirt's tools know: namespaces, groups, labels, annotations, finalizers. */

export const KUBEVIRT_NAMESPACE = 'kubevirt';
/** The one object that holds the settings of the installation, in that namespace. */
export const KUBEVIRT_NAME = 'kubevirt';
/** The release of KubeVirt whose API this is: clients compare it with their own. */
export const KUBEVIRT_VERSION = 'v1.9.0';
/** The Service in that namespace that webhook configurations and APIServices name. */
export const VIRT_API_SERVICE = 'virt-api';
/** The name of the port of that Service, and of the ports of its EndpointSlices. */
export const VIRT_API_PORT_NAME = 'https';
/** On the EndpointSlices and Leases of the extension's instances, which have one of each. */
export const EXTENSION_LABELS = {
  'kubevirt.io': VIRT_API_SERVICE,
  'endpointslice.kubernetes.io/managed-by': 'extension.kubevirt.io',
} as const;
export const EXTENSION_SELECTOR = Object.entries(EXTENSION_LABELS)
  .map(([name, value]) => `${name}=${value}`)
  .join(',');
/** The name of both. */
export const extensionObjectName = (instance: string): string => `${VIRT_API_SERVICE}-${instance}`;
/** The Secret and the ConfigMap in that namespace with the authority of serving certificates, and the latter's key. */
export const CA_NAME = 'kubevirt-ca';
export const CA_BUNDLE_KEY = 'ca-bundle';
/** The Service in that namespace behind which Prometheus finds the metrics of our parts, and the name of its port. */
export const METRICS_SERVICE = 'kubevirt-prometheus-metrics';
export const METRICS_PORT_NAME = 'metrics';

export const SUBRESOURCE_GROUP = 'subresources.kubevirt.io';
/** The versions of that group, the preferred one first. All have the same actions. */
export const SUBRESOURCE_VERSIONS = ['v1', 'v1alpha3'] as const;
/** KubeVirt's subprotocol of consoles, screens and ports: bytes in binary messages, and a normal close is the end. */
export const PLAIN_PROTOCOL = 'plain.kubevirt.io';

/** How a VM can be kept running; `WaitAsReceiver` is one more, behind a feature gate. */
export const RUN_STRATEGIES: readonly string[] = ['Always', 'Manual', 'Halted', 'Once', 'RerunOnFailure'];

export const VM_FINALIZER = 'kubevirt.io/virtualMachineControllerFinalize';
/** Keeps a VMI until its launcher pod is gone. */
export const VMI_FINALIZER = 'kubevirt.io/foregroundDeleteVirtualMachine';
/** Put on an object by the server when its dependents are to be kept. */
export const ORPHAN_FINALIZER = 'orphan';

/** On pods: what they are of an installation. */
export const APP_LABEL = 'kubevirt.io';
/** Of that label, on launcher pods, and the selector that finds them. */
export const LAUNCHER_APP = 'virt-launcher';
export const LAUNCHER_SELECTOR = `${APP_LABEL}=${LAUNCHER_APP}`;
/** On launcher pods: the uid of their VMI. */
export const CREATED_BY_LABEL = 'kubevirt.io/created-by';
/** On VMIs: the node that they run on. */
/** On launcher pods: the host name of the guest, which is the name of the VM unless its spec sets another. */
export const VM_NAME_LABEL = 'vm.kubevirt.io/name';
export const NODE_NAME_LABEL = 'kubevirt.io/nodeName';
/** On nodes: whether guests may be started there. */
export const SCHEDULABLE_LABEL = 'kubevirt.io/schedulable';

export const VM_GENERATION_ANNOTATION = 'kubevirt.io/vm-generation';
/** What losing a VMI costs: of the replicas of a set the cheapest goes first. */
export const DELETION_COST_ANNOTATION = 'kubevirt.io/deletion-cost';
/** On nodes: when their agent last said that it lives. */
export const HEARTBEAT_ANNOTATION = 'kubevirt.io/heartbeat';
/** On Nodes and Leases: the version of Vireo that keeps them. */
export const VERSION_ANNOTATION = 'vireo.dev/version';
/** On VMIs whose launcher pod is to fail at once, so that crash loops can be tested; any value will do. */
export const FAIL_FAST_ANNOTATION = 'kubevirt.io/func-test-virt-launcher-fail-fast';
/** On launcher pods: what a VMI costs beyond the memory of its guest. */
export const MEMORY_OVERHEAD_ANNOTATION = 'kubevirt.io/memory-overhead-bytes';

/** The readiness gate of launcher pods: true while the guest is not paused. */
export const UNPAUSED_CONDITION = 'kubevirt.io/virtual-machine-unpaused';
