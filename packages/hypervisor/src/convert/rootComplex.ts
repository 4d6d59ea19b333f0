import { hasPcie } from '../architecture.ts';
import { el, type XmlElement } from '../xml.ts';
import type { Conversion } from './conversion.ts';
import { ConversionError } from './error.ts';

/** On VMIs whose devices are all to be on the root bus, for guests that do not know PCIe root ports. */
const ROOT_COMPLEX_ANNOTATION = 'kubevirt.io/placePCIDevicesOnRootComplex';

/** The first two slots are the host bridge's and the screen's; the last six the chipset's, which libvirt fills. */
const FIRST_SLOT = 2;
const LAST_SLOT = 0x19;

export const isOnRootComplex = ({ vmi, machine }: Conversion): boolean =>
  hasPcie(machine) && vmi.metadata?.annotations?.[ROOT_COMPLEX_ANNOTATION] === 'true';

/** Gives every device that would be behind a port of its own a slot of the root bus. */
export function placeOnRootComplex(devices: readonly XmlElement[], takesPort: (device: XmlElement) => boolean) {
  let slot = FIRST_SLOT;
  return devices.map((device) => {
    if (!takesPort(device)) return device;
    if (slot > LAST_SLOT)
      throw new ConversionError(
        'metadata.annotations',
        `${ROOT_COMPLEX_ANNOTATION} has room for ${LAST_SLOT - FIRST_SLOT + 1} devices, and the VMI has more`,
      );
    const number = (slot++).toString(16).padStart(2, '0');
    const address = { type: 'pci', domain: '0x0000', bus: '0x00', slot: `0x${number}`, function: '0x0' };
    return { ...device, children: [...device.children, el('address', address)] };
  });
}
