import type { FieldError } from '@vireo/api';
import type { Interface, PortRange } from '@vireo/api/kinds/kubevirt/interface.ts';
import type { Network } from '@vireo/api/kinds/kubevirt/network.ts';
import type { ClusterConfig } from '../clusterConfig.ts';
import { type Rule, when } from './rule.ts';

const PORT_NAME = /^(?=.*[a-z])[a-z0-9]([a-z0-9-]{0,13}[a-z0-9])?$/;
const MAX_RANGES = 10;

/** Ports that a guest behind the pod's address opens to the world. */
export function ports(
  card: Interface,
  network: Network | undefined,
  field: string,
  config: ClusterConfig,
): ReturnType<Rule> {
  return [...single(card, network, field), ...ranges(card, field, config)];
}

function single({ ports: given = [] }: Interface, network: Network | undefined, field: string): FieldError[] {
  if (network && !network.pod) return [];
  const seen = new Set<string>();
  return given.flatMap(({ name, port, protocol }, index) => {
    const at = `${field}.ports[${index}]`;
    const isRepeated = name !== undefined && name !== '' && seen.has(name);
    if (name) seen.add(name);
    return [
      ...when(!port, at, 'Port field is mandatory.', 'FieldValueRequired'),
      ...when(port && (port < 0 || port > 65535), at, 'Port field must be in range 0 < x < 65536.'),
      ...when(
        protocol && protocol !== 'TCP' && protocol !== 'UDP',
        `${at}.protocol`,
        'Unknown protocol, only TCP or UDP allowed',
      ),
      ...when(isRepeated, `${at}.name`, `Duplicate name of the port: ${name}`, 'FieldValueDuplicate'),
      ...when(name && !PORT_NAME.test(name), `${at}.name`, `Invalid name of the port: ${name}`),
    ];
  });
}

function ranges({ portRanges, masquerade, name }: Interface, field: string, config: ClusterConfig): FieldError[] {
  if (!portRanges || portRanges.length === 0) return [];
  const at = `${field}.portRanges`;
  const overlapping = portRanges.findIndex((range, index) =>
    portRanges.slice(0, index).some((earlier) => overlap(range, earlier)),
  );
  return [
    ...when(!config.gates.has('PortRanges'), at, 'PortRanges feature gate is not enabled'),
    ...when(!masquerade, at, `logical ${name} interface's port ranges are supported only for masquerade binding`),
    ...when(portRanges.length > MAX_RANGES, at, `no more than ${MAX_RANGES} port ranges are allowed`),
    ...portRanges.flatMap(({ start, end, protocol }, index) => [
      ...when(
        !(start >= 1 && end <= 65535 && start <= end),
        `${at}[${index}]`,
        `port range ${start}-${end} must be within 1-65535 and must not end before it starts`,
      ),
      ...when(
        protocol !== 'TCP' && protocol !== 'UDP',
        `${at}[${index}].protocol`,
        'Unknown protocol, only TCP or UDP allowed',
      ),
    ]),
    ...when(overlapping >= 0, `${at}[${overlapping}]`, 'port ranges must not overlap'),
  ];
}

const overlap = (a: PortRange, b: PortRange): boolean =>
  a.protocol === b.protocol && a.start <= b.end && b.start <= a.end;
