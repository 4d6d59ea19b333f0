/** Names that KubeVirt's tools know. */
export const KUBEVIRT_NAMESPACE = 'kubevirt';
/** On launchers: the uid of their instance. */
export const CREATED_BY_LABEL = 'kubevirt.io/created-by';
export const SCHEDULABLE_LABEL = 'kubevirt.io/schedulable';
export const HEARTBEAT_ANNOTATION = 'kubevirt.io/heartbeat';
/** The readiness gate of launchers: true while the guest is not paused. */
export const UNPAUSED_CONDITION = 'kubevirt.io/virtual-machine-unpaused';
