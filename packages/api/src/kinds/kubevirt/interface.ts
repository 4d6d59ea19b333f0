import { type Infer, int32, list, string, struct } from '../../schema.ts';
import { optional, required } from '../customResource.ts';

export const DHCPPrivateOptions = struct(
  'io.kubevirt.v1.DHCPPrivateOptions',
  'An option of private use that DHCP tells the guest.',
  {
    option: required(int32, 'Number of the option, 224 to 254.'),
    value: required(string, 'Its value.'),
  },
);
export interface DHCPPrivateOptions extends Infer<typeof DHCPPrivateOptions> {}

export const DHCPOptions = struct('io.kubevirt.v1.DHCPOptions', 'What DHCP tells the guest beside its address.', {
  bootFileName: optional(string, 'File to boot from (option 67).'),
  ntpServers: optional(list(string), 'Time servers (option 42).'),
  privateOptions: optional(list(DHCPPrivateOptions), 'Options of private use.'),
  tftpServerName: optional(string, 'Server to boot from (option 66).'),
});
export interface DHCPOptions extends Infer<typeof DHCPOptions> {}

export const DeprecatedInterfaceMacvtap = struct(
  'io.kubevirt.v1.DeprecatedInterfaceMacvtap',
  'No longer possible.',
  {},
);
export interface DeprecatedInterfaceMacvtap extends Infer<typeof DeprecatedInterfaceMacvtap> {}

export const DeprecatedInterfacePasst = struct(
  'io.kubevirt.v1.DeprecatedInterfacePasst',
  'No longer possible; use passtBinding.',
  {},
);
export interface DeprecatedInterfacePasst extends Infer<typeof DeprecatedInterfacePasst> {}

export const DeprecatedInterfaceSlirp = struct('io.kubevirt.v1.DeprecatedInterfaceSlirp', 'No longer possible.', {});
export interface DeprecatedInterfaceSlirp extends Infer<typeof DeprecatedInterfaceSlirp> {}

export const InterfaceBridge = struct(
  'io.kubevirt.v1.InterfaceBridge',
  'Joins the guest to the network by a bridge; the guest has the address itself.',
  {},
);
export interface InterfaceBridge extends Infer<typeof InterfaceBridge> {}

export const InterfaceMasquerade = struct(
  'io.kubevirt.v1.InterfaceMasquerade',
  "Hides the guest behind the pod's address. For the pod network only.",
  {},
);
export interface InterfaceMasquerade extends Infer<typeof InterfaceMasquerade> {}

export const InterfacePasstBinding = struct(
  'io.kubevirt.v1.InterfacePasstBinding',
  'Joins the guest to the network by passt, without privileges.',
  {},
);
export interface InterfacePasstBinding extends Infer<typeof InterfacePasstBinding> {}

export const InterfaceSRIOV = struct(
  'io.kubevirt.v1.InterfaceSRIOV',
  'Gives the guest a network device of the node.',
  {},
);
export interface InterfaceSRIOV extends Infer<typeof InterfaceSRIOV> {}

export const PluginBinding = struct('io.kubevirt.v1.PluginBinding', 'Joins the guest to the network by a plug-in.', {
  name: required(string, 'Name of the plug-in in the KubeVirt object.'),
});
export interface PluginBinding extends Infer<typeof PluginBinding> {}

export const Port = struct('io.kubevirt.v1.Port', 'A port of the guest that can be reached.', {
  name: optional(string, 'Name for services to refer to.'),
  port: required(int32, 'The port number.'),
  protocol: optional(string, 'TCP or UDP; TCP when empty.'),
});
export interface Port extends Infer<typeof Port> {}

export const PortRange = struct('io.kubevirt.v1.PortRange', 'A range of ports of the guest that can be reached.', {
  end: required(int32, 'The last port.'),
  protocol: required(string, 'TCP or UDP.'),
  start: required(int32, 'The first port.'),
});
export interface PortRange extends Infer<typeof PortRange> {}

export const Interface = struct(
  'io.kubevirt.v1.Interface',
  'A network card of the guest, joined to the network of the same name. One of bridge, masquerade, sriov, passtBinding or binding says how.',
  {
    acpiIndex: optional(int32, 'Number that gives the device a stable name in the guest, 1 to 16383.'),
    binding: optional(PluginBinding, 'Join the network by a plug-in.'),
    bootOrder: optional(int32, 'Place in the boot order, from 1. Unique among disks and interfaces.'),
    bridge: optional(InterfaceBridge, 'Join the network by a bridge.'),
    dhcpOptions: optional(DHCPOptions, 'What DHCP tells the guest beside its address.'),
    macAddress: optional(string, 'MAC address, such as de:ad:00:00:be:af. A random one when empty.'),
    macvtap: optional(DeprecatedInterfaceMacvtap, 'No longer possible.'),
    masquerade: optional(InterfaceMasquerade, "Hide behind the pod's address."),
    model: optional(
      string,
      'Card that is emulated: virtio, e1000, e1000e, igb, ne2k_pci, pcnet or rtl8139. virtio when empty.',
    ),
    name: required(string, 'Name of the network that it is joined to.'),
    passt: optional(DeprecatedInterfacePasst, 'No longer possible; use passtBinding.'),
    passtBinding: optional(InterfacePasstBinding, 'Join the network by passt.'),
    pciAddress: optional(string, "Place on the guest's PCI bus, such as 0000:81:01.10."),
    portRanges: optional(list(PortRange, 'atomic'), 'Ranges of ports that can be reached; with masquerade only.'),
    ports: optional(list(Port), 'Ports that can be reached; all when empty.'),
    slirp: optional(DeprecatedInterfaceSlirp, 'No longer possible.'),
    sriov: optional(InterfaceSRIOV, 'A network device of the node.'),
    state: optional(string, 'up, down (the cable is out) or absent (to remove the card). up when empty.'),
    tag: optional(string, "A word that the guest finds with the card's address in its config drive."),
  },
);
export interface Interface extends Infer<typeof Interface> {}
