/** The managers of an object: the entries of `metadata.managedFields`, kept as they are stored. */
import { deepEqual, isObject } from '@vireo/api/json.ts';
import { difference, type FieldSet, isEmptySet, union } from './fieldSet.ts';
import { parseFieldSet } from './pathElement.ts';

/** What one manager owns. `time` is missing where the manager never changed anything. */
export interface Manager {
  /** Missing where somebody wrote an entry by hand that has none. */
  readonly manager?: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly time?: string;
  readonly fieldsType: 'FieldsV1';
  readonly fieldsV1: FieldSet;
  readonly subresource?: string;
}

/** Who writes, and how. */
export interface ManagerName {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
}

const MAX_UPDATERS = 10;
const ANCIENT_CHANGES = 'ancient-changes';

/** Whether an entry is the manager's own. Who applies owns one set, in whichever version. */
export const isSameManager = (entry: Manager, name: ManagerName): boolean =>
  (entry.manager ?? '') === name.manager &&
  entry.operation === name.operation &&
  (entry.subresource ?? '') === name.subresource &&
  (name.operation === 'Apply' || entry.apiVersion === name.apiVersion);

/** An entry in the order in which Kubernetes writes its fields. */
export const entryOf = (name: ManagerName, fieldsV1: FieldSet, time: string | undefined): Manager => ({
  ...(name.manager && { manager: name.manager }),
  operation: name.operation,
  apiVersion: name.apiVersion,
  ...(time !== undefined && { time }),
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...(name.subresource && { subresource: name.subresource }),
});

/** The entry with other fields; undefined if none are left. */
export function withFields(entry: Manager, fieldsV1: FieldSet): Manager | undefined {
  if (fieldsV1 === entry.fieldsV1) return entry;
  return isEmptySet(fieldsV1) ? undefined : { ...entry, fieldsV1 };
}

/** Takes fields away from an entry. */
export const losing = (entry: Manager, lost: FieldSet): Manager | undefined =>
  withFields(entry, difference(entry.fieldsV1, lost));

/** What is stored is ours, and well-formed. */
export const storedManagers = (list: unknown): readonly Manager[] => (list ?? []) as readonly Manager[];

/**
 * The managers that a write begins with: those that it sends, if they can be read, else those of the object as it is.
 * One entry without anything in it takes all managers away.
 */
export function managersOf(sent: unknown, live: readonly Manager[]): readonly Manager[] {
  if (sent === live || !Array.isArray(sent) || sent.length === 0 || deepEqual(sent, live)) return live;
  if (isReset(sent)) return [];
  return readManagers(sent) ?? live;
}

const isReset = ([first, ...others]: readonly unknown[]): boolean =>
  others.length === 0 && isObject(first) && Object.keys(first).length === 0;

/** Reads the entries that a client sent; undefined if one of them is none. */
export function readManagers(sent: readonly unknown[]): readonly Manager[] | undefined {
  const managers: Manager[] = [];
  for (const entry of sent) {
    const manager = readManager(entry);
    if (!manager) return undefined;
    managers.push(manager);
  }
  return managers;
}

function readManager(entry: unknown): Manager | undefined {
  if (!isObject(entry)) return undefined;
  const { manager = '', operation, apiVersion, time, fieldsType, fieldsV1, subresource = '' } = entry;
  const fields = parseFieldSet(fieldsV1 ?? {});
  const isEntry =
    (operation === 'Apply' || operation === 'Update') &&
    typeof apiVersion === 'string' &&
    apiVersion !== '' &&
    fieldsType === 'FieldsV1' &&
    typeof manager === 'string' &&
    typeof subresource === 'string';
  if (!isEntry || !fields) return undefined;
  return entryOf({ manager, operation, apiVersion, subresource }, fields, typeof time === 'string' ? time : undefined);
}

/** The managers after an update, as they are stored: old updates are put together. */
export const managersToStore = (managers: readonly Manager[]): readonly Manager[] => inOrder(withoutAncient(managers));

/** The managers in the order in which they are stored, without those that own nothing. */
export function inOrder(managers: readonly Manager[]): readonly Manager[] {
  const kept = managers.some(({ fieldsV1 }) => isEmptySet(fieldsV1))
    ? managers.filter(({ fieldsV1 }) => !isEmptySet(fieldsV1))
    : managers;
  return isOrdered(kept) ? kept : [...kept].sort(compareManagers);
}

const isOrdered = (managers: readonly Manager[]): boolean =>
  managers.every((entry, i) => i === 0 || compareManagers(managers[i - 1] as Manager, entry) <= 0);

function compareManagers(a: Manager, b: Manager): number {
  return (
    compareText(a.operation, b.operation) ||
    compareText(a.time ?? '', b.time ?? '') ||
    compareText(a.manager ?? '', b.manager ?? '') ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource ?? '', b.subresource ?? '')
  );
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** An object that many clients write would grow without end: the oldest updates of a version become one entry. */
function withoutAncient(managers: readonly Manager[]): readonly Manager[] {
  const updaters = managers.filter(({ operation }) => operation === 'Update');
  let excess = updaters.length - MAX_UPDATERS;
  if (excess <= 0) return managers;
  const oldestFirst = updaters.sort((a, b) => compareText(a.time ?? '', b.time ?? '') || compareManagers(a, b));
  const first = new Map<string, Manager>();
  const gone = new Set<Manager>();
  for (const entry of oldestFirst) {
    if (excess <= 0) break;
    const known = first.get(entry.apiVersion);
    if (!known) {
      first.set(entry.apiVersion, entry);
      continue;
    }
    gone.add(known).add(entry);
    const name = { ...entry, manager: ANCIENT_CHANGES, subresource: '' };
    first.set(entry.apiVersion, entryOf(name, union(known.fieldsV1, entry.fieldsV1), entry.time));
    excess--;
  }
  const merged = [...first.values()].filter(({ manager }) => manager === ANCIENT_CHANGES);
  return [...managers.filter((entry) => !gone.has(entry) && !merged.includes(entry)), ...merged];
}

/** The name of a manager that gives none: what its user agent begins with. */
export function managerNameOf(fieldManager: string, userAgent: string | undefined): string {
  if (fieldManager !== '') return fieldManager;
  const printable = (userAgent ?? '').split('/', 1)[0]?.replaceAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, '') ?? '';
  return cutToBytes(printable, 128) || 'unknown';
}

function cutToBytes(text: string, most: number): string {
  let cut = text;
  while (Buffer.byteLength(cut) > most) cut = cut.slice(0, -1);
  return cut;
}

/** Whether two lists differ in times alone. */
export function sameButTimes(a: readonly Manager[], b: readonly Manager[]): boolean {
  if (a.length !== b.length) return false;
  const rest = [...b];
  return a.every((entry) => {
    const name = { ...entry, manager: entry.manager ?? '', subresource: entry.subresource ?? '' };
    const at = rest.findIndex((other) => isSameManager(other, name) && other.apiVersion === entry.apiVersion);
    if (at < 0) return false;
    const [other] = rest.splice(at, 1) as [Manager];
    return other.fieldsV1 === entry.fieldsV1 || deepEqual(other.fieldsV1, entry.fieldsV1);
  });
}
