/** Names by which the parts that deal with volumes tell each other what they did. */

/** On a claim: the binding is complete. On loss of the volume it stays, so that no other volume slips in. */
export const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
/** On a claim or volume: the binder chose the other side, nobody asked for it by name. */
export const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller';
/** On a volume: who made it, and who therefore removes it. */
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';
/** On a claim: who is to make its volume. */
export const STORAGE_PROVISIONER = 'volume.kubernetes.io/storage-provisioner';
/** The same under its older name, which provisioners still look for. */
export const BETA_STORAGE_PROVISIONER = 'volume.beta.kubernetes.io/storage-provisioner';
/** The provisioner of StorageClasses whose volumes are created by hand. */
export const NO_PROVISIONER = 'kubernetes.io/no-provisioner';
/** The provisioner and snapshot driver of volumes on a node's own disk: Vireo's node agent. */
export const LOCAL_PROVISIONER = 'vireo.io/local';
/** The provisioner and snapshot driver of volumes in a directory that every node has: Vireo's node agent. */
export const SHARED_PROVISIONER = 'vireo.io/shared';
/** The provisioners of volumes that Vireo's nodes make. */
export const OWN_PROVISIONERS: readonly string[] = [LOCAL_PROVISIONER, SHARED_PROVISIONER];
/** On a claim: its StorageClass, as it was named before `storageClassName`. */
export const BETA_STORAGE_CLASS = 'volume.beta.kubernetes.io/storage-class';
/** On a claim that waited for its first consumer: the node that was chosen for it. */
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node';

/** Parameter of a class of `SHARED_PROVISIONER`: the directory, at the same path on every node. */
export const SHARED_DIRECTORY = 'directory';
/** On such a class: what its directory is known by, and where it can be used and why not elsewhere. */
export const SHARED_ID = 'shared.vireo.io/id';
export const SHARED_STATUS = 'shared.vireo.io/status';
/** On a node: what it finds in the directories of such classes, as JSON. */
export const SHARED_REPORT = 'shared.vireo.io/report';
/** The label of nodes that are known to have the directory of that id; volumes in it go by it. */
export const sharedLabel = (id: string): string => `shared.vireo.io/${id}`;
/** On a volume in a shared directory: the node that resizes, fills, copies and removes it. */
export const VOLUME_MANAGER = 'shared.vireo.io/managed-by';

/** On a node: how many bytes of the disk that volumes are on are free, as of its last heartbeat. */
export const FREE_STORAGE = 'vireo.dev/free-storage';

export const CLAIM_PROTECTION = 'kubernetes.io/pvc-protection';
export const VOLUME_PROTECTION = 'kubernetes.io/pv-protection';

/** Keeps a volume until its maker has removed what is on it. */
export const PROVISIONER_FINALIZER = 'external-provisioner.volume.kubernetes.io/finalizer';
