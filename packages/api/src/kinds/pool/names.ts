/** Names around pools that KubeVirt's tools know, and one of ours. */

/** On pools and their VMs: the pool has its say before they go. */
export const POOL_FINALIZER = 'pool.kubevirt.io/finalizer';
/** On VMs, their templates and VMIs: the ControllerRevision with the spec of the pool that they were made from. */
export const POOL_REVISION_LABEL = 'kubevirt.io/vm-pool-revision-name';
/** On VMs that their pool deletes: why. What becomes of their disks depends on it, even if the controller has died since. */
export const POOL_DELETION_ANNOTATION = 'vireo.dev/pool-deletion';
