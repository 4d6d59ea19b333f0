import { isObject } from '@vireo/api/json.ts';
import { ARCHITECTURES, isArchitecture } from '../architecture.ts';
import type { Hypervisor } from '../contracts.ts';
import { DEVICE_TOPICS, DOMAIN_TOPICS, LAST_TOPICS, PLUGGED_TOPICS } from '../convert/conversion.ts';

type Check = (value: unknown, at: string) => string[];

const of =
  (type: 'string' | 'boolean' | 'function'): Check =>
  (value, at) =>
    typeof value === type ? [] : [`${at} must be a ${type}, not ${value === null ? 'null' : typeof value}`];

const listOf =
  (check: Check): Check =>
  (value, at) =>
    Array.isArray(value) ? value.flatMap((entry, index) => check(entry, `${at}[${index}]`)) : [`${at} must be a list`];

const mapOf =
  (check: Check): Check =>
  (value, at) =>
    isObject(value)
      ? Object.entries(value).flatMap(([key, entry]) => check(entry, `${at}.${key}`))
      : [`${at} must be an object`];

/** Fields whose name ends in `?` may be missing; unknown ones are most likely misspelt. */
const object =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value, at) => {
    if (!isObject(value)) return [`${at} must be an object`];
    const known = new Map(Object.entries(fields).map(([name, check]) => [name.replace('?', ''), { name, check }]));
    const unknown = Object.keys(value).filter((key) => !known.has(key));
    return [
      ...unknown.map((key) => `${at}.${key} is not part of the contract (${[...known.keys()].join(', ')})`),
      ...[...known].flatMap(([key, { name, check }]) =>
        value[key] === undefined && name.endsWith('?') ? [] : check(value[key], `${at}.${key}`),
      ),
    ];
  };

const matching =
  (pattern: RegExp, like: string): Check =>
  (value, at) =>
    typeof value === 'string' && pattern.test(value)
      ? []
      : [`${at} must be ${like}, not ${typeof value === 'string' ? JSON.stringify(value) : typeof value}`];

const devices = listOf(
  object({
    device: matching(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'a name of lowercase letters, digits and dashes'),
    path: matching(/^\/dev\/(?!(.*\/)?\.\.?(\/|$))[\w.:/-]+$/, 'a path below /dev'),
    'isOptional?': of('boolean'),
  }),
);
/** Without a key it would be put up with everything, nodes that are being emptied among them. */
const tolerations = listOf(
  object({
    key: matching(/^[\w./-]+$/, 'the key of a taint'),
    'operator?': matching(/^(Exists|Equal)$/, 'Exists or Equal'),
    'value?': of('string'),
    'effect?': matching(/^(NoSchedule|PreferNoSchedule|NoExecute)$/, 'NoSchedule, PreferNoSchedule or NoExecute'),
  }),
);
const virtType = matching(/^[a-z]+$/, "libvirt's name for it, in lowercase letters");
const topics = [...DOMAIN_TOPICS, ...DEVICE_TOPICS, ...PLUGGED_TOPICS, ...LAST_TOPICS];

const contracts = {
  defaults: object({
    'applyVmDefaults?': of('function'),
    'applyVmiSpecDefaults?': of('function'),
    'finalizeVmi?': of('function'),
  }),
  runtime: object({
    deviceRequests: devices,
    'tolerations?': tolerations,
    memoryOverheadBytes: of('function'),
    memlockBytes: of('function'),
    'adjustResources?': of('function'),
    'handleHousekeeping?': of('function'),
  }),
  converter: object({
    domainType: virtType,
    isAccelerated: of('boolean'),
    'overrides?': object(Object.fromEntries(topics.map((name) => [`${name}?`, of('function')]))),
    'mutators?': listOf(of('function')),
  }),
  admission: object({ 'mutateVmi?': of('function'), 'validate?': of('function') }),
  labeller: object({ preferredVirtType: virtType, devices, 'discoverFeatures?': of('function') }),
};

const byArchitecture: Check = (value, at) => [
  ...(isObject(value) ? Object.keys(value) : [])
    .filter((key) => key !== '*' && !isArchitecture(key))
    .map((key) => `${at}.${key} is not an architecture (${[...ARCHITECTURES, '*'].join(', ')})`),
  ...mapOf(contracts.defaults)(value, at),
];

const hypervisor = object({
  name: of('string'),
  'aliases?': listOf(of('string')),
  'emulator?': of('string'),
  'defaults?': byArchitecture,
  'runtime?': contracts.runtime,
  'converter?': contracts.converter,
  'admission?': contracts.admission,
  'labeller?': contracts.labeller,
});

/** Where something that a package calls a hypervisor is none. Types do not reach into JavaScript. */
export const shapeProblems = (value: Hypervisor): string[] => hypervisor(value, 'hypervisor');

/** The same for a single contract. */
export const contractProblems = (contract: keyof typeof contracts, value: unknown): string[] =>
  contracts[contract](value, contract);
