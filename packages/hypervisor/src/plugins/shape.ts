import type { Hypervisor } from '../contracts.ts';
import { DEVICE_TOPICS, DOMAIN_TOPICS, LAST_TOPICS } from '../convert/conversion.ts';

type Check = (value: unknown, at: string) => string[];

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

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
    isRecord(value)
      ? Object.entries(value).flatMap(([key, entry]) => check(entry, `${at}.${key}`))
      : [`${at} must be an object`];

/** Fields whose name ends in `?` may be missing; unknown ones are most likely misspelt. */
const object =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value, at) => {
    if (!isRecord(value)) return [`${at} must be an object`];
    const known = new Map(Object.entries(fields).map(([name, check]) => [name.replace('?', ''), { name, check }]));
    const unknown = Object.keys(value).filter((key) => !known.has(key));
    return [
      ...unknown.map((key) => `${at}.${key} is no part of the contract (${[...known.keys()].join(', ')})`),
      ...[...known].flatMap(([key, { name, check }]) =>
        value[key] === undefined && name.endsWith('?') ? [] : check(value[key], `${at}.${key}`),
      ),
    ];
  };

const devices = listOf(object({ device: of('string'), path: of('string'), 'isOptional?': of('boolean') }));
const topics = [...DOMAIN_TOPICS, ...DEVICE_TOPICS, ...LAST_TOPICS];

const hypervisor = object({
  name: of('string'),
  'aliases?': listOf(of('string')),
  'emulator?': of('string'),
  'defaults?': mapOf(
    object({
      'applyVmDefaults?': of('function'),
      'applyVmiSpecDefaults?': of('function'),
      'finalizeVmi?': of('function'),
    }),
  ),
  'runtime?': object({
    deviceRequests: devices,
    'tolerations?': listOf(mapOf(() => [])),
    memoryOverheadBytes: of('function'),
    memlockBytes: of('function'),
    'adjustResources?': of('function'),
    'handleHousekeeping?': of('function'),
  }),
  'converter?': object({
    domainType: of('string'),
    isAccelerated: of('boolean'),
    'overrides?': object(Object.fromEntries(topics.map((name) => [`${name}?`, of('function')]))),
    'mutators?': listOf(of('function')),
  }),
  'admission?': object({ 'mutateVmi?': of('function'), 'validate?': of('function') }),
  'labeller?': object({ preferredVirtType: of('string'), devices, 'discoverFeatures?': of('function') }),
});

/** Where something that a package calls a hypervisor is none. Types do not reach into JavaScript. */
export const shapeProblems = (value: Hypervisor): string[] => hypervisor(value, 'hypervisor');
