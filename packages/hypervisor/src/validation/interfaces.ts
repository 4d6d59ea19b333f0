import { isIPv4 } from 'node:net';
import { type FieldError, fieldError } from '@vireo/api';
import type { Interface } from '@vireo/api/kinds/kubevirt/interface.ts';
import type { Network } from '@vireo/api/kinds/kubevirt/network.ts';
import type { ClusterConfig } from '../clusterConfig.ts';
import { isPciAddress } from './disks.ts';
import { ports } from './ports.ts';
import { type Rule, when } from './rule.ts';

const MODELS = ['e1000', 'e1000e', 'igb', 'ne2k_pci', 'pcnet', 'rtl8139', 'virtio'];
const MAC = /^[\da-f]{1,2}(?:[:-][\da-f]{1,2})+$/i;
const RESERVED_MAC = '02:00:00:00:00:00';

export const interfaces: Rule = ({ spec, path, config }) =>
  (spec.domain.devices?.interfaces ?? []).flatMap((card, index) => {
    const field = `${path}.domain.devices.interfaces[${index}]`;
    const network = spec.networks?.find(({ name }) => name === card.name);
    return [
      ...identity(card, field),
      ...bindingErrors(card, network, field, config),
      ...state(card, network, field),
      ...ports(card, network, field, config),
      ...dhcp(card, field),
    ];
  });

function identity({ name, model, macAddress, pciAddress, acpiIndex }: Interface, field: string): FieldError[] {
  const parts = macAddress?.split(/[:-]/).length ?? 0;
  return [
    ...when(
      !/^[A-Za-z0-9_-]+$/.test(name),
      `${field}.name`,
      'Network interface name can only contain alphabetical characters, numbers, dashes (-) or underscores (_)',
    ),
    ...when(
      model && !MODELS.includes(model),
      `${field}.model`,
      `interface ${field}.name uses model ${model} that is not supported.`,
      'FieldValueNotSupported',
    ),
    ...when(
      macAddress && (!MAC.test(macAddress) || parts < 6),
      `${field}.macAddress`,
      `interface ${field}.name has malformed MAC address (${macAddress}).`,
    ),
    ...when(
      macAddress && MAC.test(macAddress) && parts > 6,
      `${field}.macAddress`,
      `interface ${field}.name has MAC address (${macAddress}) that is too long.`,
    ),
    ...when(
      pciAddress && !isPciAddress(pciAddress),
      `${field}.pciAddress`,
      `interface ${field}.name has malformed PCI address (${pciAddress}).`,
    ),
    ...when(
      acpiIndex !== undefined && (acpiIndex < 1 || acpiIndex > 16383),
      `${field}.acpiIndex`,
      `interface ${field}.name has ACPI index (${acpiIndex}) that is out of range, must be 1 to 16383.`,
    ),
  ];
}

function bindingErrors(
  card: Interface,
  network: Network | undefined,
  field: string,
  config: ClusterConfig,
): FieldError[] {
  const methods = [card.bridge, card.masquerade, card.sriov, card.passtBinding].filter(Boolean).length;
  const isPod = network?.pod !== undefined;
  const plugin = card.binding?.name;
  return [
    ...discontinuedBindingErrors(card, field),
    ...when(
      card.binding && methods > 0,
      `${field}.binding`,
      `logical ${card.name} interface cannot have both binding plugin and interface binding method`,
    ),
    ...when(methods > 1, field, `logical ${card.name} interface cannot have more than one interface binding method`),
    ...when(
      plugin !== undefined && !Object.hasOwn(config.network.bindings, plugin),
      `${field}.binding.name`,
      `logical ${card.name} interface uses the binding plugin ${plugin}, which is not registered in the cluster`,
    ),
    ...when(
      card.masquerade && network && !isPod,
      `${field}.name`,
      'Masquerade interface only implemented with pod network',
    ),
    ...when(
      card.masquerade && card.macAddress?.toLowerCase().replaceAll('-', ':') === RESERVED_MAC,
      `${field}.macAddress`,
      'The requested MAC address is reserved for the in-pod bridge. Please choose another one.',
    ),
    ...when(
      card.bridge && isPod && !config.network.permitsBridgeOnPodNetwork,
      `${field}.name`,
      'Bridge on pod network configuration is not enabled under kubevirt-config',
    ),
    ...when(
      card.passtBinding && !config.gates.has('PasstBinding'),
      `${field}.passtBinding`,
      'PasstBinding feature gate is not enabled',
    ),
  ];
}

const discontinuedBindingErrors = (card: Interface, field: string): FieldError[] => [
  ...when(card.slirp, `${field}.name`, 'Slirp interface support has been discontinued since v1.3'),
  ...when(card.macvtap, `${field}.name`, 'Macvtap network interface support has been discontinued since v1.3'),
  ...when(card.passt, `${field}.name`, 'Passt network interface support has been discontinued since v1.3'),
];

function state(card: Interface, network: Network | undefined, field: string): FieldError[] {
  const { state: value, name } = card;
  if (!value) return [];
  if (!['up', 'down', 'absent'].includes(value)) {
    return [fieldError(`${field}.state`, `logical ${name} interface state value is unsupported: ${value}`)];
  }
  return [
    ...when(
      value === 'absent' && !card.bridge,
      `${field}.state`,
      `"${name}" interface's state "${value}" is supported only for bridge binding`,
    ),
    ...when(
      value === 'absent' && (network?.pod !== undefined || network?.multus?.default),
      `${field}.state`,
      `"${name}" interface's state "${value}" is not supported on default networks`,
    ),
    ...when(
      card.sriov && value !== 'up',
      `${field}.state`,
      `logical ${name} interface's state "${value}" is not supported for SR-IOV NICs`,
    ),
  ];
}

function dhcp({ dhcpOptions }: Interface, field: string): FieldError[] {
  const options = (dhcpOptions?.privateOptions ?? []).map(({ option }) => option);
  return [
    ...when(
      options.some((option) => option < 224 || option > 254),
      field,
      'provided DHCPPrivateOptions are out of range, must be in range 224 to 254',
    ),
    ...when(
      new Set(options).size !== options.length,
      field,
      'Found Duplicates: you have provided duplicate DHCPPrivateOptions',
    ),
    ...(dhcpOptions?.ntpServers ?? []).flatMap((server, index) =>
      when(
        !isIPv4(server),
        `${field}.dhcpOptions.ntpServers[${index}]`,
        'NTP servers must be a list of valid IPv4 addresses.',
      ),
    ),
  ];
}
