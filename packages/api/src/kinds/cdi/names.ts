/** Annotations by which the importer's parts and their tools speak to each other; on claims unless said otherwise. */

const own = (name: string): string => `cdi.kubevirt.io/${name}`;

/** How far the work on a claim is, in the words of a pod's phase: tools wait for `Succeeded`. */
export const POD_PHASE = own('storage.pod.phase');
/** `true` while data can be uploaded. */
export const POD_READY = own('storage.pod.ready');
/** How often the work failed and began again. */
export const POD_RESTARTS = own('storage.pod.restarts');

/** Where the data comes from: `http`, `s3`, `registry`, `none` for an empty disk. */
export const IMPORT_SOURCE = own('storage.import.source');
export const IMPORT_ENDPOINT = own('storage.import.endpoint');
export const IMPORT_SECRET = own('storage.import.secretName');
export const IMPORT_CERTIFICATES = own('storage.import.certConfigMap');
/** Headers to send, numbered from 0 behind a dot; `secretExtraHeaders` name secrets. */
export const IMPORT_HEADERS = own('storage.import.extraHeaders');
export const IMPORT_SECRET_HEADERS = own('storage.import.secretExtraHeaders');
export const IMPORT_CHECKSUM = own('storage.import.checksum');
/** The architecture to choose where a registry has images for several under one name. */
export const IMPORT_ARCHITECTURE = own('storage.import.registryImageArchitecture');
/** `node`: the image is pulled as those of containerDisks are, and kept for the next who asks. */
export const IMPORT_PULL_METHOD = own('storage.import.registryImportMethod');
export const IMPORT_POD_NAME = own('storage.import.importPodName');
/** `true`: no retry can help. */
export const IMPORT_FATAL = own('storage.import.fatalError');

/** Present, whatever its value: somebody will upload. */
export const UPLOAD_TARGET = own('storage.upload.target');
/** `namespace/name` of the claim to copy. */
export const CLONE_REQUEST = 'k8s.io/CloneRequest';
export const CLONE_OF = 'k8s.io/CloneOf';
/** `namespace/name` of the VolumeSnapshot to begin with. */
export const SNAPSHOT_REQUEST = own('storage.clone.snapshot');

export const CONTENT_TYPE = own('storage.contentType');
/** Why a claim whose content type is `archive` gets no data, and what works instead. */
export const NO_ARCHIVES =
  'Vireo does not unpack archives, because a volume is a disk and not a directory: put the files on a disk image, ' +
  'such as an ISO (genisoimage -J -R -o files.iso DIRECTORY), and upload that image';
export const PREALLOCATION_REQUESTED = own('storage.preallocation.requested');
export const PREALLOCATION_DONE = own('storage.preallocation');
/** Percent, such as `42.17%`. */
export const PROGRESS = own('storage.populator.progress');
/** On the claim or DataVolume: not to wait for a first consumer. */
export const BIND_IMMEDIATE = own('storage.bind.immediate.requested');
/** On the DataVolume: whether its claim is filled through a second one. */
export const USE_POPULATOR = own('storage.usePopulator');

/** The name of the DataVolume whose data the claim has already. */
export const POPULATED_FOR = own('storage.populatedFor');
/** On the DataVolume: its claim comes from somewhere else and is never made. */
export const PRE_POPULATED = own('storage.prePopulated');
/** On the DataVolume: a claim of its name may be taken over. */
export const ALLOW_ADOPTION = own('allowClaimAdoption');
/** The uid of the DataVolume that the claim was made for. */
export const CREATED_FOR = own('createdForDataVolume');

/** Why a claim has no volume yet, in words. */
export const BOUND_MESSAGE = own('storage.condition.bound.message');

/** Whether the work goes on, why not, and in words: what the conditions of the DataVolume follow from. */
export const RUNNING = own('storage.condition.running');
export const RUNNING_REASON = own('storage.condition.running.reason');
export const RUNNING_MESSAGE = own('storage.condition.running.message');

/** On a claim or DataVolume, `true`: the volume becomes as large as its data if the claim requests less. */
export const FITTED = 'vireo.io/storage.fitted';
/** How large the disk of a fitted claim is, and how much of that takes room, in bytes. */
export const DISK_BYTES = 'vireo.io/storage.disk-bytes';
export const ALLOCATED_BYTES = 'vireo.io/storage.allocated-bytes';
