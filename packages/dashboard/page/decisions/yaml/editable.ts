import { isEqual, isMapping, type Mapping, type Path, pathText } from './values.ts';

/** What the server keeps of its own accord. People who edit an object neither write it nor want to read it. */
const SERVERS_OWN = ['managedFields', 'resourceVersion', 'generation', 'uid', 'creationTimestamp', 'selfLink'];

/** An object as people edit it: identity first, without the status and what only the server writes. */
export function editable(object: unknown): Mapping {
  if (!isMapping(object)) return {};
  const { apiVersion, kind, metadata, status: _, ...rest } = object;
  const own = Object.entries(isMapping(metadata) ? metadata : {}).filter(([key]) => !SERVERS_OWN.includes(key));
  return { apiVersion, kind, metadata: Object.fromEntries(own), ...rest };
}

/** What is sent to store an edited object: with the identity and version that it replaces. */
export function toStore(
  edited: unknown,
  stored: { readonly metadata: { readonly uid?: string; readonly resourceVersion?: string } },
): Mapping {
  const object = isMapping(edited) ? edited : {};
  const { uid, resourceVersion } = stored.metadata;
  return { ...object, metadata: { ...(isMapping(object.metadata) ? object.metadata : {}), uid, resourceVersion } };
}

/** A value that differs between two states of an object; undefined stands for none. */
export interface Change {
  readonly path: Path;
  readonly before: unknown;
  readonly after: unknown;
}

/** What differs, at the innermost fields. Lists of different length are one change. */
export function changesBetween(before: unknown, after: unknown, path: Path = []): Change[] {
  if (isEqual(before, after)) return [];
  if (isMapping(before) && isMapping(after))
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) =>
      changesBetween(before[key], after[key], [...path, key]),
    );
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return before.flatMap((item, index) => changesBetween(item, after[index], [...path, index]));
  return [{ path, before, after }];
}

const MOST_TEXT = 60;

/** `spec.runStrategy: Always → Halted` */
export const changeText = ({ path, before, after }: Change): string =>
  `${pathText(path)}: ${valueText(before)} → ${valueText(after)}`;

export function valueText(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text;
}

/** Why a text cannot be stored as an object's new state; undefined if it can. */
export function mismatch(edited: unknown, stored: unknown): string | undefined {
  if (!isMapping(edited)) return 'The text is not an object.';
  const was = editable(stored);
  for (const path of [['apiVersion'], ['kind'], ['metadata', 'name'], ['metadata', 'namespace']]) {
    const [first = '', second] = path;
    const read = (object: Mapping): unknown =>
      second === undefined ? object[first] : isMapping(object[first]) ? object[first][second] : undefined;
    if (read(edited) !== read(was)) return `${path.join('.')} cannot be changed: it must stay ${valueText(read(was))}.`;
  }
  return undefined;
}
