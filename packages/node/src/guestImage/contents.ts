/** Drivers without which the root filesystem cannot be mounted. */
export const bootModules = [
  'virtio_pci',
  'virtio_blk',
  'virtio_scsi',
  'ahci',
  'ata_piix',
  'sd_mod',
  'ext4',
  'crc32c_generic',
  'crc32c_intel',
];

/** Drivers for whatever else a VM may have; each is loaded only when its device is there. */
export const otherModules = [
  ...['virtio_net', 'virtio_balloon', 'virtio_console', 'virtio_rng', 'virtio_input', 'virtio_mem'],
  ...['e1000', 'e1000e', '8139cp', '8139too'],
  ...['sr_mod', 'nvme', 'usb_storage', 'uas', 'xhci_pci', 'ehci_pci', 'uhci_hcd', 'usbhid', 'hid_generic'],
  ...['isofs', 'vfat', 'nls_ascii', 'nls_cp437', 'nls_iso8859_1', 'nls_utf8', 'loop', 'virtiofs', '9p', '9pnet_virtio'],
  ...['button', 'evdev', 'i6300esb', 'tpm_crb', 'tpm_tis', 'efivarfs', 'vmw_vsock_virtio_transport'],
];

/**
 * Programs taken from Debian's packages as they are, with the libraries they need. They come before applets of busybox
 * of the same name: its wget fails with most HTTPS servers, and checks no certificates.
 */
export const programs = [
  'usr/sbin/dhcpcd',
  'usr/sbin/dropbear',
  'usr/bin/dropbearkey',
  'usr/lib/sftp-server',
  'usr/bin/doas',
  'usr/bin/wget',
  'usr/sbin/qemu-ga',
  'usr/sbin/mke2fs',
  'usr/sbin/e2fsck',
  'usr/sbin/resize2fs',
];

/** Other names for programs. */
export const programLinks: Readonly<Record<string, string>> = {
  'usr/sbin/mkfs.ext4': 'mke2fs',
  'usr/sbin/mkfs.ext3': 'mke2fs',
  'usr/sbin/mkfs.ext2': 'mke2fs',
  'usr/sbin/mkfs.vfat': '../bin/busybox',
  // There qemu-ga looks for it before it sets the clock.
  'usr/sbin/hwclock': '../bin/busybox',
};

/** What busybox calls itself in the initramfs, where every name costs a little. */
export const initramfsApplets = [
  ...['sh', 'mount', 'cat', 'sort', 'xargs', 'modprobe', 'findfs', 'usleep', 'switch_root', 'echo', 'cp'],
  ...['printf', 'dd', 'blockdev'],
];

/**
 * The kernel's command line. The VM is emulated more often than not: what only costs time there, such as
 * self-tests and mitigations, is off.
 */
export const commandLine = [
  ...['console=tty0', 'console=ttyS0,115200', 'quiet', 'loglevel=3', 'panic=5'],
  ...['mitigations=off', 'tsc=reliable', 'no_timer_check', 'cryptomgr.notests', 'nowatchdog', 'nokaslr'],
  ...['audit=0', 'apparmor=0', 'scsi_mod.scan=sync'],
  // Memory that is plugged in is used at once, and can be given back.
  'memhp_default_state=online_movable',
].join(' ');
