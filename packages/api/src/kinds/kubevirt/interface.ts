import { type Infer, int32, list, string, struct } from '../../schema.ts';
import { optional, required } from '../customResource.ts';

export const DHCPPrivateOptions = struct(
  'io.kubevirt.v1.DHCPPrivateOptions',
  'A private DHCP option (224 to 254) that the guest receives.',
  {
    option: required(int32, 'Number of the option, 224 to 254.'),
    value: required(string, 'Value of the option as text.'),
  },
);
export interface DHCPPrivateOptions extends Infer<typeof DHCPPrivateOptions> {}

export const DHCPOptions = struct(
  'io.kubevirt.v1.DHCPOptions',
  'DHCP options that the guest receives besides its address.',
  {
    bootFileName: optional(string, 'Name of the boot file (option 67).'),
    ntpServers: optional(list(string), 'Addresses of NTP servers (option 42).'),
    privateOptions: optional(list(DHCPPrivateOptions), 'Private DHCP options, numbered 224 to 254.'),
    tftpServerName: optional(string, 'Name of the TFTP server (option 66).'),
  },
);
export interface DHCPOptions extends Infer<typeof DHCPOptions> {}

export const DeprecatedInterfaceMacvtap = struct(
  'io.kubevirt.v1.DeprecatedInterfaceMacvtap',
  'No longer supported. Admission rejects it.',
  {},
);
export interface DeprecatedInterfaceMacvtap extends Infer<typeof DeprecatedInterfaceMacvtap> {}

export const DeprecatedInterfacePasst = struct(
  'io.kubevirt.v1.DeprecatedInterfacePasst',
  'No longer supported. Use passtBinding.',
  {},
);
export interface DeprecatedInterfacePasst extends Infer<typeof DeprecatedInterfacePasst> {}

export const DeprecatedInterfaceSlirp = struct(
  'io.kubevirt.v1.DeprecatedInterfaceSlirp',
  'No longer supported. Admission rejects it.',
  {},
);
export interface DeprecatedInterfaceSlirp extends Infer<typeof DeprecatedInterfaceSlirp> {}

export const InterfaceBridge = struct(
  'io.kubevirt.v1.InterfaceBridge',
  'Connects the interface to the network through a bridge. The guest holds the IP address itself.',
  {},
);
export interface InterfaceBridge extends Infer<typeof InterfaceBridge> {}

export const InterfaceMasquerade = struct(
  'io.kubevirt.v1.InterfaceMasquerade',
  "Connects the interface through NAT behind the pod's IP address. Only for the pod network.",
  {},
);
export interface InterfaceMasquerade extends Infer<typeof InterfaceMasquerade> {}

export const InterfacePasstBinding = struct(
  'io.kubevirt.v1.InterfacePasstBinding',
  'Connects the interface through passt, which needs no privileges.',
  {},
);
export interface InterfacePasstBinding extends Infer<typeof InterfacePasstBinding> {}

export const InterfaceSRIOV = struct(
  'io.kubevirt.v1.InterfaceSRIOV',
  'Passes a network device of the node (SR-IOV) through to the guest.',
  {},
);
export interface InterfaceSRIOV extends Infer<typeof InterfaceSRIOV> {}

export const PluginBinding = struct(
  'io.kubevirt.v1.PluginBinding',
  'Connects the interface through a network binding plugin.',
  {
    name: required(string, 'Name of the plug-in in the KubeVirt object.'),
  },
);
export interface PluginBinding extends Infer<typeof PluginBinding> {}

export const Port = struct('io.kubevirt.v1.Port', 'A port of the guest that is reachable through the interface.', {
  name: optional(string, 'Name of the port, to which Services can refer.'),
  port: required(int32, 'Number of the port.'),
  protocol: optional(string, 'Protocol of the port: TCP or UDP. Defaults to TCP.'),
});
export interface Port extends Infer<typeof Port> {}

export const PortRange = struct(
  'io.kubevirt.v1.PortRange',
  'A range of ports of the guest that is reachable through the interface.',
  {
    end: required(int32, 'Last port of the range.'),
    protocol: required(string, 'Protocol of the ports: TCP or UDP.'),
    start: required(int32, 'First port of the range.'),
  },
);
export interface PortRange extends Infer<typeof PortRange> {}

export const Interface = struct(
  'io.kubevirt.v1.Interface',
  'A network interface of the guest, connected to the network of the same name. Set one of bridge, masquerade, sriov, passtBinding and binding.',
  {
    acpiIndex: optional(int32, 'Number that gives the device a stable name in the guest, 1 to 16383.'),
    binding: optional(PluginBinding, 'Connect the interface through a network binding plugin.'),
    bootOrder: optional(int32, 'Place in the boot order, from 1. Unique among disks and interfaces.'),
    bridge: optional(InterfaceBridge, 'Connect the interface through a bridge.'),
    dhcpOptions: optional(DHCPOptions, 'DHCP options that the guest receives besides its address.'),
    macAddress: optional(string, 'MAC address, such as de:ad:00:00:be:af. If empty, the system generates one.'),
    macvtap: optional(DeprecatedInterfaceMacvtap, 'No longer supported. Admission rejects it.'),
    masquerade: optional(InterfaceMasquerade, "Connect the interface through NAT behind the pod's IP address."),
    model: optional(
      string,
      'Model of the network card: virtio, e1000, e1000e, igb, ne2k_pci, pcnet or rtl8139. Defaults to virtio.',
    ),
    name: required(string, 'Name of the network in spec.networks.'),
    passt: optional(DeprecatedInterfacePasst, 'No longer supported. Use passtBinding.'),
    passtBinding: optional(InterfacePasstBinding, 'Connect the interface through passt.'),
    pciAddress: optional(string, "Place on the guest's PCI bus, such as 0000:81:01.10."),
    portRanges: optional(list(PortRange, 'atomic'), 'Ranges of ports that can be reached; with masquerade only.'),
    ports: optional(list(Port), 'Ports of the guest that are reachable. If empty, all are.'),
    slirp: optional(DeprecatedInterfaceSlirp, 'No longer supported. Admission rejects it.'),
    sriov: optional(InterfaceSRIOV, 'Pass an SR-IOV network device of the node through to the guest.'),
    state: optional(
      string,
      'State of the link: up, down (no carrier) or absent (the interface is unplugged). Defaults to up.',
    ),
    tag: optional(string, "Tag by which the guest finds the interface's address in its config drive."),
  },
);
export interface Interface extends Infer<typeof Interface> {}
