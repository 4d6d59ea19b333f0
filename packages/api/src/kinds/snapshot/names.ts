/** Names by which snapshots, restores and the VMs that they are about know each other. */

const ofSnapshot = (name: string): string => `snapshot.kubevirt.io/${name}`;
const ofRestore = (name: string): string => `restore.kubevirt.io/${name}`;

/** Keeps a snapshot until its VM is let go and its content is seen to. */
export const SNAPSHOT_PROTECTION = ofSnapshot('vmsnapshot-protection');
export const CONTENT_PROTECTION = ofSnapshot('vmsnapshotcontent-protection');
/** Keeps a VM while a snapshot of it is taken. */
export const SOURCE_PROTECTION = ofSnapshot('snapshot-source-protection');
export const RESTORE_PROTECTION = ofSnapshot('vmrestore-protection');

/**
 * Annotation of VMIs: the uid of the last snapshot that was begun while they ran. A VMI that is handed over to nodes for a
 * migration must not have changed meanwhile, so writing it keeps migrations and snapshots apart.
 */
export const LAST_SNAPSHOT = 'vireo.io/last-snapshot';

/** Labels of VolumeSnapshots: the VM that they were taken of. */
export const SOURCE_VM_NAME = ofSnapshot('source-vm-name');
export const SOURCE_VM_NAMESPACE = ofSnapshot('source-vm-namespace');

/** Labels of restored claims: the VM that their data was of. */
export const RESTORED_VM_NAME = ofRestore('source-vm-name');
export const RESTORED_VM_NAMESPACE = ofRestore('source-vm-namespace');
/** Annotation of restored claims: the restore. */
export const RESTORE_NAME = ofRestore('name');
/** Annotation of restored claims and VMs: `<name>-<uid>` of the restore that was the last to write them. */
export const LAST_RESTORE = ofRestore('lastRestoreUID');
