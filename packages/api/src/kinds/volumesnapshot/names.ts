/** Names by which the parts that deal with snapshots tell each other what they did. */

const own = (name: string): string => `snapshot.storage.kubernetes.io/${name}`;

/** On a VolumeSnapshotClass: the one that is taken where none is named. */
export const DEFAULT_CLASS = own('is-default-class');
/** On a VolumeSnapshotContent: the node whose driver keeps the data. */
export const MANAGED_BY = own('managed-by');
/** On a content: the shared directory that the data is kept in. */
export const SNAPSHOT_DIRECTORY = 'shared.vireo.io/directory';
/** Keeps a snapshot while it has a content, and while a claim is made from it. */
export const BOUND_PROTECTION = own('volumesnapshot-bound-protection');
export const SOURCE_PROTECTION = own('volumesnapshot-as-source-protection');
/** Keeps a content until its driver has let go of the data. */
export const CONTENT_PROTECTION = own('volumesnapshotcontent-bound-protection');

/**
 * On snapshots that are to be of one moment, and on their contents: what they have in common, and how many there are. A
 * driver that can cuts them all at once, when all of them are there.
 */
export const TAKEN_WITH = 'vireo.io/taken-with';
export const TAKEN_WITH_COUNT = 'vireo.io/taken-with-count';
