import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { DeviceFlags, LibvirtError } from '@vireo/libvirt';
import type { NodeContext } from '../context.ts';
import { type DomainView, findDevice, type InterfaceView, interfaceXml } from './domainView.ts';
import type { RunningVmi } from './localVmi.ts';

export type LinkState = InterfaceView['linkState'];

/** Which links of a VMI are not as its spec says, and how they should be. */
export function linksToSet({ spec }: VirtualMachineInstance, { interfaces }: DomainView): Map<string, LinkState> {
  const wanted = new Map<string, LinkState>();
  for (const { name, state } of spec.domain.devices.interfaces ?? []) {
    const iface = Object.hasOwn(interfaces, name) ? interfaces[name] : undefined;
    const should = state === 'down' ? 'down' : 'up';
    if (iface && state !== 'absent' && iface.linkState !== should) wanted.set(name, should);
  }
  return wanted;
}

/** Plugs the cables of a running VMI in or out. */
export async function setLinks(
  { vmi, domain }: RunningVmi,
  links: ReadonlyMap<string, LinkState>,
  { libvirt, domains, recorder }: NodeContext,
): Promise<void> {
  const xml = await libvirt.calls.domainXml(domain.ref);
  for (const [name, state] of links) {
    const iface = findDevice(xml, 'interface', name);
    if (iface === undefined) continue;
    try {
      await libvirt.long.updateDevice(domain.ref, interfaceXml(iface, state), DeviceFlags.LIVE);
    } catch (error) {
      // The guest goes on as it is; the next change of its spec tries again.
      if (!(error instanceof LibvirtError)) throw error;
      const message = `the link of interface ${JSON.stringify(name)} cannot be set ${state}: ${error.message}`;
      recorder.event(vmi, 'Warning', 'SyncFailed', message);
    }
  }
  await domains.refresh(domain.ref, { rereadXml: true });
}
