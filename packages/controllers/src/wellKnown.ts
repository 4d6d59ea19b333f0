/** Names that KubeVirt's tools know: labels, annotations, finalizers. */

export const KUBEVIRT_NAMESPACE = 'kubevirt';
/** The one object that holds the settings of the installation, in that namespace. */
export const KUBEVIRT_NAME = 'kubevirt';

export const VM_FINALIZER = 'kubevirt.io/virtualMachineControllerFinalize';
/** Keeps an instance until its launcher is gone. */
export const VMI_FINALIZER = 'kubevirt.io/foregroundDeleteVirtualMachine';
/** Put on an object by the server when its dependents are to be kept. */
export const ORPHAN_FINALIZER = 'orphan';

export const APP_LABEL = 'kubevirt.io';
export const CREATED_BY_LABEL = 'kubevirt.io/created-by';
export const NODE_NAME_LABEL = 'kubevirt.io/nodeName';
export const SCHEDULABLE_LABEL = 'kubevirt.io/schedulable';

export const VM_GENERATION_ANNOTATION = 'kubevirt.io/vm-generation';
/** What losing an instance costs: of the replicas of a set the cheapest goes first. */
export const DELETION_COST_ANNOTATION = 'kubevirt.io/deletion-cost';
export const HEARTBEAT_ANNOTATION = 'kubevirt.io/heartbeat';
/** On VMIs whose launcher is to fail at once, so that crash loops can be tested; any value will do. */
export const FAIL_FAST_ANNOTATION = 'kubevirt.io/func-test-virt-launcher-fail-fast';
export const MEMORY_OVERHEAD_ANNOTATION = 'kubevirt.io/memory-overhead-bytes';

/** The readiness gate of launchers: true while the guest is not paused. */
export const UNPAUSED_CONDITION = 'kubevirt.io/virtual-machine-unpaused';
