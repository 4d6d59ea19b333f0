import { type FieldError, fieldError } from '@vireo/api';
import type { Network } from '@vireo/api/kinds/kubevirt/network.ts';
import { duplicates, type Rule, type Subject, when } from './rule.ts';

/** Networks and interfaces pair off, one to one, and each network is of one kind. */
export const networks: Rule = (subject) => [
  ...pairs(subject),
  ...uniqueNames(subject),
  ...sources(subject),
  ...defaults(subject),
];

function pairs({ spec, path }: Subject): FieldError[] {
  const given = spec.networks ?? [];
  const interfaces = spec.domain.devices?.interfaces ?? [];
  const missing = (names: string[], others: string[], field: (index: number) => string): FieldError[] =>
    names.flatMap((name, index) => when(!others.includes(name), field(index), `${field(index)} '${name}' not found.`));
  const networkNames = given.map(({ name }) => name);
  const interfaceNames = interfaces.map(({ name }) => name);
  return [
    ...missing(networkNames, interfaceNames, (index) => `${path}.networks[${index}].name`),
    ...missing(interfaceNames, networkNames, (index) => `${path}.domain.devices.interfaces[${index}].name`),
  ];
}

function uniqueNames({ spec, path }: Subject): FieldError[] {
  const given = (spec.networks ?? []).map(({ name }) => name);
  const cards = (spec.domain.devices?.interfaces ?? []).map(({ name }) => name);
  return [
    ...duplicates(given).map(([index]) =>
      fieldError(
        `${path}.networks[${index}].name`,
        `Network with name "${given[index]}" already exists, every network must have a unique name`,
        'FieldValueDuplicate',
      ),
    ),
    ...duplicates(cards).map(([index]) =>
      fieldError(
        `${path}.domain.devices.interfaces[${index}].name`,
        'Only one interface can be connected to one specific network',
        'FieldValueDuplicate',
      ),
    ),
  ];
}

const kindsOf = ({ pod, multus, resourceClaim }: Network): number =>
  [pod, multus, resourceClaim].filter(Boolean).length;

const sources = ({ spec, path }: Subject): FieldError[] =>
  (spec.networks ?? []).flatMap((network, index) => {
    const field = `${path}.networks[${index}]`;
    return [
      ...when(kindsOf(network) === 0, field, 'should have a network type', 'FieldValueRequired'),
      ...when(kindsOf(network) > 1, field, 'should have only one network type', 'FieldValueRequired'),
      ...when(
        network.multus && !network.multus.networkName,
        field,
        'CNI delegating plugin must have a networkName',
        'FieldValueRequired',
      ),
    ];
  });

function defaults({ spec, path }: Subject): FieldError[] {
  const given = spec.networks ?? [];
  const multusDefaults = given.filter(({ multus }) => multus?.default).length;
  const pods = given.filter(({ pod }) => pod).length;
  return [
    ...when(multusDefaults > 1, `${path}.networks`, 'Multus CNI should only have one default network'),
    ...when(
      multusDefaults > 0 && pods > 0,
      `${path}.networks`,
      'Pod network cannot be defined when Multus default network is defined',
    ),
    ...when(
      pods > 1,
      `${path}.networks`,
      `more than one interface is connected to a pod network in ${path}.interfaces`,
      'FieldValueDuplicate',
    ),
  ];
}
