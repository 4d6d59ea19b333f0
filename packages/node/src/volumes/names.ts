/** Who makes volumes out of this node's disk, as StorageClasses name it. */
export const PROVISIONER = 'vireo.io/local';

/** The label by which volumes say on which node they are. */
export const HOSTNAME_LABEL = 'kubernetes.io/hostname';

/** The one file of a volume: the whole disk, raw. */
export const DISK_FILE = 'disk.img';
