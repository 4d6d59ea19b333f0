import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Makes files below a root: texts, and links where the text begins with `->`. */
export async function makeTree(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const at = join(root, path);
    await mkdir(dirname(at), { recursive: true });
    if (content.startsWith('->')) await symlink(content.slice(2), at);
    else await writeFile(at, content);
  }
}

/** A PCI device in an IOMMU group as the kernel shows it. */
export const pciDevice = (address: string, id: string, group: number, driver = 'vfio-pci', numaNode = -1) => ({
  [`/sys/bus/pci/devices/${address}/uevent`]: `DRIVER=${driver}\nPCI_CLASS=30200\nPCI_ID=${id}\nPCI_SLOT_NAME=${address}\n`,
  [`/sys/bus/pci/devices/${address}/driver`]: `->../../../../bus/pci/drivers/${driver}`,
  [`/sys/bus/pci/devices/${address}/iommu_group`]: `->../../../kernel/iommu_groups/${group}`,
  [`/sys/bus/pci/devices/${address}/numa_node`]: `${numaNode}\n`,
  [`/dev/vfio/${group}`]: '',
});

/** A mediated device of a PCI device. */
export const mediatedDevice = (uuid: string, type: string, group: number, parent: string) => ({
  [`/sys/devices/pci0000:00/${parent}/${uuid}/mdev_type/name`]: `${type}\n`,
  [`/sys/devices/pci0000:00/${parent}/${uuid}/iommu_group`]: `->../../../../kernel/iommu_groups/${group}`,
  [`/sys/bus/mdev/devices/${uuid}`]: `->../../../devices/pci0000:00/${parent}/${uuid}`,
  [`/dev/vfio/${group}`]: '',
});

/** A USB device at a port. */
export const usbDevice = (port: string, product: string, bus: number, device: number) => {
  const file = `bus/usb/${String(bus).padStart(3, '0')}/${String(device).padStart(3, '0')}`;
  const number = (value: number): string => String(value).padStart(3, '0');
  return {
    [`/sys/bus/usb/devices/${port}/uevent`]: `MAJOR=189\nDEVNAME=${file}\nDEVTYPE=usb_device\nPRODUCT=${product}/100\nBUSNUM=${number(bus)}\nDEVNUM=${number(device)}\n`,
    [`/sys/bus/usb/devices/${port}:1.0/uevent`]: `DEVTYPE=usb_interface\nPRODUCT=${product}/100\n`,
  };
};
