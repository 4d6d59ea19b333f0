import { access, readdir, readFile, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { PermittedHostDevices } from '@vireo/api/kinds/kubevirt/hostDeviceConfiguration.ts';
import type { Offer, Unit } from './plugin.ts';

/** Gives a container the IOMMU at all. */
const VFIO = '/dev/vfio/vfio';
const VFIO_DRIVER = 'vfio-pci';

/** A device of the host that a container can have by itself, and what it is selected by. */
interface Found extends Unit {
  readonly selector: string;
}

/** The host's files; `root` stands before every path, for tests. */
class HostFiles {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  list(path: string): Promise<string[]> {
    return readdir(this.#at(path)).then(
      (names) => names.toSorted(),
      () => [],
    );
  }

  text(...path: string[]): Promise<string | undefined> {
    return readFile(this.#at(join(...path)), 'utf8').then(
      (text) => text.trim(),
      () => undefined,
    );
  }

  /** The last part of what a link leads to. */
  target(...path: string[]): Promise<string | undefined> {
    return readlink(this.#at(join(...path))).then(basename, () => undefined);
  }

  /** The directory above what a link leads to. */
  async parent(path: string): Promise<string | undefined> {
    const target = await realpath(this.#at(path)).catch(() => undefined);
    return target && basename(dirname(target));
  }

  async problem(path: string): Promise<string | undefined> {
    return access(this.#at(path)).then(
      () => undefined,
      () => `${path} does not exist`,
    );
  }

  #at(path: string): string {
    return `${this.#root}${path}`;
  }
}

/**
 * What this host has of the devices that the cluster permits guests to use, as KubeVirt's virt-handler offers them: PCI
 * devices that vfio-pci has, mediated devices, and groups of USB devices. A resource of which the host has nothing is
 * left out, and so is one that somebody else's plug-in brings.
 */
export async function hostDeviceOffers(permitted: PermittedHostDevices | undefined, root = ''): Promise<Offer[]> {
  const { pciHostDevices = [], mediatedDevices = [], usb = [] } = permitted ?? {};
  const host = new HostFiles(root);
  const own = <T extends { readonly externalResourceProvider?: boolean }>(all: readonly T[]): T[] =>
    all.filter(({ externalResourceProvider }) => !externalResourceProvider);
  const [pci, mediated, usbDevices] = await Promise.all([
    own(pciHostDevices).length > 0 ? pciDevices(host) : [],
    own(mediatedDevices).length > 0 ? mediatedDevicesOf(host) : [],
    own(usb).length > 0 ? usbDevicesOf(host) : [],
  ]);
  const selected = (found: readonly Found[], selectors: ReadonlySet<string>): Unit[] =>
    merged(found.filter(({ selector }) => selectors.has(selector)).map(({ selector: _, ...unit }) => unit));
  const offers = [
    ...byResource(own(pciHostDevices)).map(([resource, all]) => ({
      resource,
      variable: variableOf('PCI_RESOURCE', resource),
      units: selected(pci, new Set(all.map(({ pciVendorSelector }) => pciVendorSelector.toLowerCase()))),
    })),
    ...byResource(own(mediatedDevices)).map(([resource, all]) => ({
      resource,
      variable: variableOf('MDEV_PCI_RESOURCE', resource),
      units: selected(mediated, new Set(all.map(({ mdevNameSelector }) => typeName(mdevNameSelector)))),
    })),
    ...byResource(own(usb)).map(([resource, all]) => ({
      resource,
      variable: variableOf('USB_RESOURCE', resource),
      units: usbGroups(
        resource,
        usbDevices,
        all.map(({ selectors = [] }) => selectors.map(usbSelector)),
      ),
    })),
  ];
  return offers.filter(({ units }) => units.length > 0);
}

const byResource = <T extends { readonly resourceName: string }>(all: readonly T[]): [string, T[]][] => [
  ...Map.groupBy(all, ({ resourceName }) => resourceName).entries(),
];

/** `nvidia.com/T4` → `PCI_RESOURCE_NVIDIA_COM_T4`, which launchers read. */
const variableOf = (prefix: string, resource: string): string =>
  `${prefix}_${resource.toUpperCase().replaceAll(/[/.]/g, '_')}`;

/** Devices of one IOMMU group cannot be given to different guests: they are one unit. */
const merged = (units: readonly Unit[]): Unit[] =>
  [...Map.groupBy(units, ({ id }) => id).values()].map((group) => ({
    ...(group[0] as Unit),
    value: group.flatMap(({ value }) => value ?? []).join(','),
  }));

/** PCI devices are selected by `vendor:product`, and called by their addresses. */
async function pciDevices(host: HostFiles): Promise<Found[]> {
  const directory = '/sys/bus/pci/devices';
  const found = await Promise.all(
    (await host.list(directory)).map(async (address): Promise<Found[]> => {
      const at = join(directory, address);
      const [uevent, driver, group] = await Promise.all([
        host.text(at, 'uevent'),
        host.target(at, 'driver'),
        host.target(at, 'iommu_group'),
      ]);
      const selector = /^PCI_ID=([\da-f]{4}:[\da-f]{4})$/im.exec(uevent ?? '')?.[1]?.toLowerCase();
      if (!selector || !group || driver !== VFIO_DRIVER) return [];
      return [{ selector, ...(await inGroup(host, group, address)), ...(await numaOf(host, at)) }];
    }),
  );
  return found.flat();
}

/** Mediated devices are selected by the name of their type, and called by their UUIDs. */
async function mediatedDevicesOf(host: HostFiles): Promise<Found[]> {
  const directory = '/sys/bus/mdev/devices';
  const found = await Promise.all(
    (await host.list(directory)).map(async (uuid): Promise<Found[]> => {
      const at = join(directory, uuid);
      const [name, type, group, parent] = await Promise.all([
        host.text(at, 'mdev_type', 'name'),
        host.target(at, 'mdev_type'),
        host.target(at, 'iommu_group'),
        host.parent(at),
      ]);
      const selector = name ?? type;
      if (!selector || !group) return [];
      const numa = parent ? await numaOf(host, join('/sys/bus/pci/devices', parent)) : {};
      return [{ selector: typeName(selector), ...(await inGroup(host, group, uuid)), ...numa }];
    }),
  );
  return found.flat();
}

/** Names of types have spaces, which selectors write as `_`. */
const typeName = (text: string): string => text.trim().replaceAll(' ', '_');

async function inGroup(host: HostFiles, group: string, value: string): Promise<Unit> {
  const path = `/dev/vfio/${group}`;
  const problem = await host.problem(path);
  return { id: group, paths: [VFIO, path], value, ...(problem !== undefined && { problem }) };
}

async function numaOf(host: HostFiles, at: string): Promise<{ numaNode?: number }> {
  const node = Number(await host.text(at, 'numa_node'));
  // The kernel says -1 where it does not know.
  return Number.isInteger(node) && node >= 0 ? { numaNode: node } : {};
}

interface UsbDevice {
  readonly selector: string;
  readonly path: string;
  /** `bus:device`. */
  readonly value: string;
}

const usbSelector = ({ vendor, product }: { readonly vendor: string; readonly product: string }): string =>
  [vendor, product].map((text) => Number.parseInt(text, 16)).join(':');

async function usbDevicesOf(host: HostFiles): Promise<UsbDevice[]> {
  const directory = '/sys/bus/usb/devices';
  const found = await Promise.all(
    (await host.list(directory)).map(async (name): Promise<UsbDevice[]> => {
      const uevent = (await host.text(directory, name, 'uevent')) ?? '';
      const at = (key: string): string | undefined => new RegExp(`^${key}=(.*)$`, 'm').exec(uevent)?.[1];
      const [vendor, product] = at('PRODUCT')?.split('/') ?? [];
      const [file, bus, number] = [at('DEVNAME'), at('BUSNUM'), at('DEVNUM')];
      // Interfaces of devices are listed, too.
      if (at('DEVTYPE') !== 'usb_device' || !vendor || !product || !file) return [];
      const value = `${Number(bus)}:${Number(number)}`;
      return [{ selector: usbSelector({ vendor, product }), path: join('/dev', file), value }];
    }),
  );
  return found.flat();
}

/** As many groups as there are devices for: one for each selector, and none in two groups. */
function usbGroups(resource: string, devices: readonly UsbDevice[], groups: readonly (readonly string[])[]): Unit[] {
  const free = new Set(devices);
  const units: Unit[] = [];
  const takeOne = (selectors: readonly string[]): UsbDevice[] | undefined => {
    const taken: UsbDevice[] = [];
    for (const selector of selectors) {
      const device = [...free].find((each) => each.selector === selector && !taken.includes(each));
      if (!device) return undefined;
      taken.push(device);
    }
    return taken.length === 0 ? undefined : taken;
  };
  for (const selectors of groups)
    for (let taken = takeOne(selectors); taken; taken = takeOne(selectors)) {
      for (const device of taken) free.delete(device);
      const values = taken.map(({ value }) => value);
      const id = `${resource.replaceAll('/', '-')}-${values.join('-').replaceAll(':', '.')}`;
      units.push({ id, paths: taken.map(({ path }) => path), value: values.join(',') });
    }
  return units;
}
