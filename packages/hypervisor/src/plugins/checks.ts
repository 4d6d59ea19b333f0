import type { FieldError, ObjectMeta } from '@vireo/api';
import { deepEqual, isObject } from '@vireo/api/json.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { labelValueErrors, qualifiedNameErrors } from '@vireo/api/names.ts';
import { parseQuantity } from '@vireo/api/quantity.ts';
import type { LauncherResources } from '../contracts.ts';
import type { XmlElement } from '../xml.ts';

/** What is wrong with what a function of a plug-in returned; nothing where it may be used. */
export type ReturnCheck = (value: unknown, args: readonly unknown[]) => string | undefined;

/** Labels and annotations below these belong to the system. */
const RESERVED = ['kubernetes.io', 'k8s.io', 'kubevirt.io', 'vireo.dev'];

/** Why a plug-in may not write a label or an annotation of this name. */
function keyProblem(key: string): string | undefined {
  const [wrong] = qualifiedNameErrors(key);
  if (wrong) return `${JSON.stringify(key)}: ${wrong}`;
  const domain = key.includes('/') ? (key.split('/')[0] ?? '') : '';
  if (domain === '')
    return `${JSON.stringify(key)} must have the plug-in's own domain as a prefix, such as example.com/…`;
  const owner = RESERVED.find((each) => domain === each || domain.endsWith(`.${each}`));
  return owner && `${JSON.stringify(key)} is not allowed for plug-ins: ${owner} is reserved`;
}

/** Most that a VMI may cost beyond its guest's memory: a terabyte. More is a mistake. */
const MAX_OVERHEAD = 1n << 40n;

const bytes =
  (isOptional: boolean): ReturnCheck =>
  (value) => {
    if (isOptional && value === undefined) return undefined;
    if (typeof value !== 'bigint') return `must return a bigint, not ${typeof value}`;
    if (value < 0n) return `returned ${value}: it must not be negative`;
    return isOptional || value <= MAX_OVERHEAD ? undefined : `returned ${value}: it must be less than a tebibyte`;
  };

const labels: ReturnCheck = (value) => {
  if (!isObject(value)) return 'must return an object with labels';
  for (const [key, label] of Object.entries(value)) {
    const [wrong] = typeof label === 'string' ? labelValueErrors(label) : ['its value must be a string'];
    const problem = keyProblem(key) ?? (wrong && `${JSON.stringify(key)}: ${wrong}`);
    if (problem) return problem;
  }
  return undefined;
};

const resources: ReturnCheck = (value) => {
  const { requests, limits } = (isObject(value) ? value : {}) as Partial<LauncherResources>;
  if (!isObject(requests) || !isObject(limits)) return 'must return { requests, limits }';
  for (const [name, amount] of [...Object.entries(requests), ...Object.entries(limits)]) {
    const [wrong] = qualifiedNameErrors(name);
    if (wrong) return `${JSON.stringify(name)} is not a resource name: ${wrong}`;
    if (!isAmount(amount)) return `${name}: ${JSON.stringify(amount)} is not a quantity such as 500m, 2 or 1Gi`;
  }
  return undefined;
};

function isAmount(value: unknown): boolean {
  try {
    return typeof value === 'string' && parseQuantity(value).nano >= 0n;
  } catch {
    return false;
  }
}

const ERROR_TYPES: ReadonlySet<string> = new Set<FieldError['type']>([
  'FieldValueRequired',
  'FieldValueInvalid',
  'FieldValueNotSupported',
  'FieldValueDuplicate',
  'FieldValueForbidden',
  'FieldValueNotFound',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

const fieldErrors: ReturnCheck = (value) => {
  if (!Array.isArray(value)) return 'must return a list of { type, field, text }';
  const isGood = (each: unknown): boolean =>
    isObject(each) &&
    ERROR_TYPES.has(String(each.type)) &&
    typeof each.field === 'string' &&
    typeof each.text === 'string';
  const bad = value.find((each) => !isGood(each));
  return bad === undefined
    ? undefined
    : `${JSON.stringify(bad)} must be { type, field, text }, with one of the types ${[...ERROR_TYPES].join(', ')}`;
};

const proposal: ReturnCheck = (value) =>
  value === undefined || isObject(value) ? undefined : 'must return an object, or nothing';

/** A VM is its user's: a hypervisor proposes for its spec, and labels of its own. */
const vmProposal: ReturnCheck = (value) => {
  const wrong = proposal(value, []);
  if (wrong || !isObject(value)) return wrong;
  const { spec: _, metadata = {}, ...others } = value;
  const [other] = Object.keys(others);
  if (other !== undefined) return `proposes ${other}: only spec, labels and annotations may be set`;
  return metadataProblem(isObject(metadata) ? metadata : {}, {});
};

/** Of the status, what follows from the spec. */
const DERIVED = ['currentCPUTopology', 'memory'];

const vmi =
  (mayDerive: boolean): ReturnCheck =>
  (value, [given]) => {
    const before = given as VirtualMachineInstance;
    if (value === undefined) return undefined;
    if (!isObject(value) || !isObject(value.spec) || !isObject(value.spec.domain)) return 'must return the VMI';
    const after = value as unknown as VirtualMachineInstance;
    for (const field of ['apiVersion', 'kind'] as const)
      if (after[field] !== before[field]) return `changes ${field}: only spec, labels and annotations may be changed`;
    const status = changedKeys(after.status ?? {}, before.status ?? {}).filter(
      (key) => !mayDerive || !DERIVED.includes(key),
    );
    if (status.length > 0) return `changes status.${status[0]}: a plug-in must not change the status`;
    return metadataProblem(after.metadata as Record<string, unknown>, before.metadata);
  };

function metadataProblem(after: Record<string, unknown> = {}, before: ObjectMeta = {}): string | undefined {
  for (const key of changedKeys(after, before)) {
    if (key !== 'labels' && key !== 'annotations')
      return `changes metadata.${key}: only labels and annotations of metadata may be changed`;
    const problem = changedKeys(after[key] ?? {}, before[key] ?? {})
      .map(keyProblem)
      .find(Boolean);
    if (problem) return `metadata.${key}: ${problem}`;
  }
  return undefined;
}

const changedKeys = (after: object, before: object): string[] => {
  const [a, b] = [after as Record<string, unknown>, before as Record<string, unknown>];
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((key) => !deepEqual(a[key], b[key]));
};

const XML_NAME = /^[A-Za-z_][\w.-]*(:[A-Za-z_][\w.-]*)?$/;

function elementProblem(value: unknown): string | undefined {
  if (
    !isObject(value) ||
    typeof value.name !== 'string' ||
    !isObject(value.attributes) ||
    !Array.isArray(value.children)
  )
    return `${JSON.stringify(value)} is not an element: create one with el(name, attributes, ...children)`;
  const bad = [value.name, ...Object.keys(value.attributes)].find((name) => !XML_NAME.test(name));
  if (bad !== undefined) return `${JSON.stringify(bad)} is not a valid element or attribute name`;
  const [text] = Object.entries(value.attributes).filter(([, attribute]) => typeof attribute !== 'string');
  if (text) return `<${value.name} ${text[0]}>: the value must be a string`;
  return value.children.map((child) => (typeof child === 'string' ? undefined : elementProblem(child))).find(Boolean);
}

const elements: ReturnCheck = (value) =>
  Array.isArray(value) ? value.map(elementProblem).find(Boolean) : 'must return a list of elements';

/** The node finds a domain by its name and uuid. */
const domain: ReturnCheck = (value, [given]) => {
  const problem = elementProblem(value);
  if (problem) return problem;
  const [after, before] = [value as XmlElement, given as XmlElement];
  if (after.name !== before.name) return `must return the <${before.name}>, not a <${after.name}>`;
  const changed = ['name', 'uuid'].find((name) => !deepEqual(childrenOf(after, name), childrenOf(before, name)));
  return changed && `changes the <${changed}> of the domain`;
};

const childrenOf = ({ children }: XmlElement, name: string): XmlElement[] =>
  children.filter((child) => typeof child !== 'string' && child.name === name) as XmlElement[];

const CHECKS: readonly (readonly [path: RegExp, check: ReturnCheck])[] = [
  [/(^|\.)applyVmDefaults$/, vmProposal],
  [/(^|\.)applyVmiSpecDefaults$/, proposal],
  [/(^|\.)finalizeVmi$/, vmi(true)],
  [/^runtime\.memoryOverheadBytes$/, bytes(false)],
  [/^runtime\.memlockBytes$/, bytes(true)],
  [/^runtime\.adjustResources$/, resources],
  [/^runtime\.handleHousekeeping$/, domain],
  [/^converter\.overrides\./, elements],
  [/^converter\.mutators\./, domain],
  [/^admission\.mutateVmi$/, vmi(false)],
  [/^admission\.validate$/, fieldErrors],
  [/^labeller\.discoverFeatures$/, labels],
];

/** What a function of a plug-in may return, by its place in the contracts; a function that is in none is not called. */
export const checkOf = (path: string): ReturnCheck =>
  CHECKS.find(([pattern]) => pattern.test(path))?.[1] ?? (() => 'is not part of a contract');
