import type { KubeObject, Persisted } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';

/** The last that the server told of an object. */
export interface Told {
  readonly object: Persisted;
  /** It is gone since. */
  readonly isDeleted: boolean;
  /** Controllers write to it as well. */
  readonly isControlled: boolean;
}

/** Where an object is, across kinds: `ConfigMap soak-1/c3-7`. */
export const placeOf = ({ kind, metadata }: KubeObject): string => `${kind} ${metadata.namespace}/${metadata.name}`;

/** What the server has acknowledged, to all clients together. */
export class Ledger {
  readonly #told = new Map<string, Told>();
  /** Every acknowledged write as place and version: watches must have seen each. */
  readonly writes = new Set<string>();

  /** An object as a write or a read of the server returned it. Answers can overtake each other: the newest counts. */
  note(object: Persisted, { isControlled = false, isWrite = true } = {}): void {
    const place = placeOf(object);
    const known = this.#told.get(place);
    if (isWrite) this.writes.add(`${place}@${object.metadata.resourceVersion}`);
    if (known && Number(known.object.metadata.resourceVersion) > Number(object.metadata.resourceVersion)) return;
    this.#told.set(place, { object, isDeleted: false, isControlled });
  }

  /** The server has said that an object is gone. Only the one client that writes to the object may say so. */
  noteDeleted(object: Persisted): void {
    const known = this.#told.get(placeOf(object));
    if (known) this.#told.set(placeOf(object), { ...known, isDeleted: true });
  }

  get(place: string): Told | undefined {
    return this.#told.get(place);
  }

  /** What a list of everything, taken when all is quiet, should not show. */
  differences(listed: readonly Persisted[]): string[] {
    const stored = new Map(listed.map((object) => [placeOf(object), object]));
    const strange = [...stored.keys()]
      .filter((place) => !this.#told.has(place))
      .map((place) => `${place}: nobody made it`);
    return [...strange, ...[...this.#told].flatMap(([place, told]) => difference(place, told, stored.get(place)))];
  }
}

/** How an object differs from what was told of it. */
export function difference(place: string, { object, isDeleted, isControlled }: Told, stored?: Persisted): string[] {
  if (!stored) return isDeleted ? [] : [`${place}: it was acknowledged and is not there`];
  if (isDeleted) return [`${place}: its deletion was acknowledged, and it is there`];
  const [told, now] = [object.metadata.resourceVersion, stored.metadata.resourceVersion];
  if (told === now) return deepEqual(object, stored) ? [] : [`${place}: version ${now} is not what was acknowledged`];
  if (!isControlled) return [`${place}: version ${told} was acknowledged, version ${now} is stored`];
  const isKept = Number(now) > Number(told) && deepEqual(specOf(object), specOf(stored));
  return isKept ? [] : [`${place}: its spec is not the acknowledged one`];
}

const specOf = (object: KubeObject): unknown => (object as { spec?: unknown }).spec;
