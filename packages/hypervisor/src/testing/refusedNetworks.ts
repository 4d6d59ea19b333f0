import type { Refusal } from './refusal.ts';
import { card, D, pod } from './specParts.ts';

const multus = (networkName: string, isDefault?: boolean) => ({ multus: { networkName, default: isDefault } });
const cards = (...names: string[]) => ({ devices: { interfaces: names.map((name) => ({ name, bridge: {} })) } });

/** Each line: what the spec says about networks, which field is blamed, and in which words. */
export const refusedNetworks: Refusal[] = [
  [
    cards('a', 'a'),
    {
      networks: [
        { name: 'a', pod: {} },
        { name: 'a', ...multus('x') },
      ],
    },
    'spec.networks[1].name',
    'Network with name "a" already exists, every network must have a unique name',
  ],
  [
    cards('default', 'default'),
    pod,
    `${D}.interfaces[1].name`,
    'Only one interface can be connected to one specific network',
  ],
  [
    cards('a', 'b'),
    {
      networks: [
        { name: 'a', ...multus('x', true) },
        { name: 'b', ...multus('y', true) },
      ],
    },
    'spec.networks',
    'Multus CNI should only have one default network',
  ],
  [
    cards('a', 'b'),
    {
      networks: [
        { name: 'a', pod: {} },
        { name: 'b', ...multus('y', true) },
      ],
    },
    'spec.networks',
    'Pod network cannot be defined when Multus default network is defined',
  ],
  [
    cards('a', 'b'),
    {
      networks: [
        { name: 'a', pod: {} },
        { name: 'b', pod: {} },
      ],
    },
    'spec.networks',
    'more than one interface is connected to a pod network in spec.interfaces',
  ],
  [
    { devices: { interfaces: [{ name: 'not good', bridge: {} }] } },
    { networks: [{ name: 'not good', pod: {} }] },
    `${D}.interfaces[0].name`,
    'Network interface name can only contain alphabetical characters, numbers, dashes (-) or underscores (_)',
  ],
  [
    card({ acpiIndex: 20000 }),
    pod,
    `${D}.interfaces[0].acpiIndex`,
    `interface ${D}.interfaces[0].name has ACPI index (20000) that is out of range, must be 1 to 16383.`,
  ],
  [
    card({ bridge: {}, binding: { name: 'x' } }),
    pod,
    `${D}.interfaces[0].binding`,
    'logical default interface cannot have both binding plugin and interface binding method',
  ],
  [
    card({ binding: { name: 'x' } }),
    pod,
    `${D}.interfaces[0].binding.name`,
    'logical default interface uses the binding plugin x, which is not registered in the cluster',
  ],
  [card({ passtBinding: {} }), pod, `${D}.interfaces[0].passtBinding`, 'PasstBinding feature gate is not enabled'],
  [
    card({ macvtap: {} }),
    pod,
    `${D}.interfaces[0].name`,
    'Macvtap network interface support has been discontinued since v1.3',
  ],
  [
    card({ passt: {} }),
    pod,
    `${D}.interfaces[0].name`,
    'Passt network interface support has been discontinued since v1.3',
  ],
  [
    card({ masquerade: {}, state: 'absent' }),
    pod,
    `${D}.interfaces[0].state`,
    '"default" interface\'s state "absent" is supported only for bridge binding',
  ],
  [
    card({ bridge: {}, state: 'absent' }),
    pod,
    `${D}.interfaces[0].state`,
    '"default" interface\'s state "absent" is not supported on default networks',
  ],
  [
    card({ sriov: {}, state: 'down' }),
    pod,
    `${D}.interfaces[0].state`,
    'logical default interface\'s state "down" is not supported for SR-IOV NICs',
  ],
  [
    card({
      dhcpOptions: {
        privateOptions: [
          { option: 240, value: 'x' },
          { option: 240, value: 'y' },
        ],
      },
    }),
    pod,
    `${D}.interfaces[0]`,
    'Found Duplicates: you have provided duplicate DHCPPrivateOptions',
  ],
  [card({ bootOrder: 0 }), pod, `${D}.interfaces[0].bootOrder`, /must have a boot order > 0, if supplied$/],
  [card({ ports: [{ port: 0 }] }), pod, `${D}.interfaces[0].ports[0]`, 'Port field is mandatory.'],
  [
    card({
      ports: [
        { name: 'web', port: 80 },
        { name: 'web', port: 81 },
      ],
    }),
    pod,
    `${D}.interfaces[0].ports[1].name`,
    'Duplicate name of the port: web',
  ],
  [
    card({ portRanges: [{ start: 1, end: 2, protocol: 'TCP' }] }),
    pod,
    `${D}.interfaces[0].portRanges`,
    "logical default interface's port ranges are supported only for masquerade binding",
  ],
  [
    card({
      masquerade: {},
      portRanges: Array.from({ length: 11 }, (_, index) => ({ start: index + 1, end: index + 1, protocol: 'TCP' })),
    }),
    pod,
    `${D}.interfaces[0].portRanges`,
    'no more than 10 port ranges are allowed',
  ],
  [
    card({ masquerade: {}, portRanges: [{ start: 9, end: 3, protocol: 'TCP' }] }),
    pod,
    `${D}.interfaces[0].portRanges[0]`,
    'port range 9-3 must be within 1-65535 and must not end before it starts',
  ],
  [
    card({ masquerade: {}, portRanges: [{ start: 1, end: 3, protocol: 'SCTP' }] }),
    pod,
    `${D}.interfaces[0].portRanges[0].protocol`,
    'Unknown protocol, only TCP or UDP allowed',
  ],
  [
    card({
      masquerade: {},
      portRanges: [
        { start: 1, end: 5, protocol: 'TCP' },
        { start: 5, end: 9, protocol: 'TCP' },
      ],
    }),
    pod,
    `${D}.interfaces[0].portRanges[1]`,
    'port ranges must not overlap',
  ],
  [{}, { dnsPolicy: 'Mine' as 'None' }, 'spec.dnsPolicy', /^DNSPolicy: Mine is not supported, valid values: \[/],
  [
    {},
    { dnsConfig: { nameservers: ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4'] } },
    'spec.dnsConfig.nameservers',
    /^must not have more than 3 nameservers: /,
  ],
  [
    {},
    { dnsConfig: { searches: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] } },
    'spec.dnsConfig.searches',
    'must not have more than 6 search paths',
  ],
  [
    {},
    { dnsConfig: { searches: ['a', 'b'].map((letter) => `${letter.repeat(60)}.`.repeat(3) + letter) } },
    'spec.dnsConfig.searches',
    'must not have more than 256 characters (including spaces) in the search list',
  ],
  [{}, { dnsConfig: { searches: ['A B'] } }, 'spec.dnsConfig.searches', /must consist of lower case alphanumeric/],
  [{}, { dnsConfig: { options: [{ value: 'x' }] } }, 'spec.dnsConfig.options', 'Option.Name must not be empty'],
  [
    {},
    { readinessProbe: { httpGet: { port: 80 } } },
    'spec.readinessProbe.httpGet',
    'spec.readinessProbe.httpGet is only allowed if the Pod Network is attached',
  ],
  [
    {},
    { livenessProbe: { exec: { command: ['x'] }, guestAgentPing: {} } },
    'spec.livenessProbe',
    'spec.livenessProbe must have exactly one probe type set',
  ],
];
