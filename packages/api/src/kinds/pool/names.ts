/** Names around pools that KubeVirt's tools know, and some of ours. */

/** On pools and their VMs: the pool has its say before they go. */
export const POOL_FINALIZER = 'pool.kubevirt.io/finalizer';
/** On VMs, their templates and VMIs: the ControllerRevision with the spec of the pool that they were made from. */
export const POOL_REVISION_LABEL = 'kubevirt.io/vm-pool-revision-name';
/** On VMs that their pool deletes: why. What becomes of their disks depends on it, even if the controller has died since. */
export const POOL_DELETION_ANNOTATION = 'vireo.dev/pool-deletion';
/** On disks that a pool keeps for a VM to come: the uid of the pool. Another pool of the name has no claim to them. */
export const KEPT_FOR_POOL_LABEL = 'vireo.dev/kept-for-pool';
/** Beside the label of the pool: the index of the VM that gets the disk. */
export const KEPT_FOR_INDEX_LABEL = 'vireo.dev/kept-for-index';
