/** The label by which volumes say on which node they are. */
export const HOSTNAME_LABEL = 'kubernetes.io/hostname';

/** The one file of a volume: the whole disk, raw. */
export const DISK_FILE = 'disk.img';
