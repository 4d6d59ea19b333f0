import type { Interface } from '@vireo/api/kinds/kubevirt/interface.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';

export type Protocol = 'tcp' | 'udp';

/** The card through which a port of a VM is reached from its node, or why none does. */
export type ForwardTarget = { readonly iface: string } | { readonly refusal: string };

/** Only QEMU's own network can be reached from the node: that of the pod. A card that lists ports opens no others. */
export function forwardTarget({ spec }: VirtualMachineInstance, port: number, protocol: Protocol): ForwardTarget {
  const isPodNetwork = (name: string): boolean => spec.networks?.find((each) => each.name === name)?.pod !== undefined;
  const interfaces = (spec.domain.devices.interfaces ?? []).filter(
    ({ name, state }) => state !== 'absent' && isPodNetwork(name),
  );
  const [iface] = interfaces;
  if (!iface) return { refusal: 'it has no interface on the pod network' };
  if (iface.state === 'down') return { refusal: `its interface ${JSON.stringify(iface.name)} is down` };
  if (!isOpen(iface, port, protocol))
    return {
      refusal: `its interface ${JSON.stringify(iface.name)} forwards only the ports in its list, which does not include this one`,
    };
  return { iface: iface.name };
}

function isOpen({ ports = [], portRanges = [] }: Interface, port: number, protocol: Protocol): boolean {
  if (ports.length === 0 && portRanges.length === 0) return true;
  const isOf = (given: string | undefined): boolean => (given || 'TCP').toLowerCase() === protocol;
  return (
    ports.some((each) => each.port === port && isOf(each.protocol)) ||
    portRanges.some(({ start, end, protocol: given }) => start <= port && port <= end && isOf(given))
  );
}
