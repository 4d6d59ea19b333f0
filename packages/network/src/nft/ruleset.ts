import { type Element, type ElementChange, elementId, type Fragment } from './fragment.ts';
import { type Batch, elementBatch } from './netlink.ts';
import { type Change, type Changes, changeScript } from './script.ts';
import { declaredTypes, type SetType, setType } from './setTypes.ts';

export interface RulesetOptions {
  /** The name of our tables. */
  readonly table: string;
  /** The commands that make the tables anew, with everything that never changes. */
  readonly skeleton: string;
  /** Runs `nft -f -`. */
  readonly nft: (script: string) => Promise<unknown>;
  /** Sends elements to the kernel without nft; false where that does not work. */
  readonly transact?: (batch: Batch) => Promise<boolean>;
  /** Told when a change failed, and everything is loaded anew. */
  readonly onReload?: (error: unknown) => void;
}

/**
 * The nftables of a network, made of fragments. A change costs as much as the fragments that changed, not as much as there
 * are. Every `apply` is one transaction: the kernel has all of it or nothing.
 */
export class Ruleset {
  readonly #options: RulesetOptions;
  readonly #fragments = new Map<string, Parts>();
  /** Numbers of owners, in the order in which they came. */
  readonly #ages = new Map<string, number>();
  #lastAge = 0;
  /** For each chain, set, element and group, who wants it and how. Of several, it is the one that has been here for the longest. */
  readonly #chains = new Claims<string>(this.#ages);
  readonly #sets = new Claims<string>(this.#ages);
  readonly #elements = new Claims<Element>(this.#ages);
  readonly #groups = new Claims<readonly Element[]>(this.#ages);
  readonly #types: ReadonlyMap<string, SetType>;
  #isLoaded = false;
  #invalidations = 0;
  #running: Promise<void> | undefined;

  constructor(options: RulesetOptions) {
    this.#options = options;
    this.#types = declaredTypes(options.skeleton);
  }

  /** Sets what an owner wants; `apply` brings it to the kernel. */
  put(owner: string, fragment: Fragment): void {
    this.#replace(owner, partsOf(fragment));
  }

  /** Changes some of the elements that an owner wants. It costs as much as they are, not as much as the owner has. */
  change(owner: string, { added, removed }: ElementChange): void {
    const parts = this.#fragments.get(owner);
    if (!parts) throw new Error(`the ruleset has nothing of ${owner} that could change`);
    for (const element of removed) {
      const id = elementId(element);
      if (parts.elements.delete(id)) this.#elements.remove(id, owner);
    }
    for (const element of added) {
      const id = elementId(element);
      parts.elements.set(id, element);
      this.#elements.add(id, owner, element);
    }
  }

  /** Removes all that an owner wants. */
  drop(owner: string): void {
    if (!this.has(owner)) return;
    this.#replace(owner, partsOf({}));
    this.#fragments.delete(owner);
    this.#ages.delete(owner);
  }

  #replace(owner: string, parts: Parts): void {
    const before = this.#fragments.get(owner) ?? partsOf({});
    this.#fragments.set(owner, parts);
    if (!this.#ages.has(owner)) this.#ages.set(owner, ++this.#lastAge);
    const isSame = <T>(a: T, b: T): boolean => a === b;
    this.#chains.replace(owner, before.chains, parts.chains, isSame);
    this.#sets.replace(owner, before.sets, parts.sets, isSame);
    this.#elements.replace(owner, before.elements, parts.elements, (a, b) => a.value === b.value);
    this.#groups.replace(owner, before.groups, parts.groups, (a, b) => elementChanges(a, b).every(isNoChange));
  }

  has(owner: string): boolean {
    return this.#fragments.has(owner);
  }

  owners(): IterableIterator<string> {
    return this.#fragments.keys();
  }

  /** Everything is to be loaded anew by the next `apply`, because the kernel may have lost it. */
  invalidate(): void {
    this.#invalidations++;
    this.#isLoaded = false;
  }

  /** Brings what was put and dropped so far to the kernel. */
  async apply(): Promise<void> {
    // Whoever comes while a change is on its way joins the next one.
    while (this.#running) await this.#running.catch(() => {});
    if (this.#isLoaded && !this.#claims.some(({ isDirty }) => isDirty)) return;
    this.#running = this.#applyNow();
    try {
      await this.#running;
    } finally {
      this.#running = undefined;
    }
  }

  async #applyNow(): Promise<void> {
    const { table, skeleton, nft, onReload } = this.#options;
    if (this.#isLoaded) {
      try {
        const changes = this.#take();
        const script = changeScript(table, changes);
        if (script && !(await this.#transact(changes))) await nft(script);
        return;
      } catch (error) {
        // The kernel is not as we remember it: somebody else changed our tables.
        onReload?.(error);
        this.#isLoaded = false;
      }
    }
    for (const claims of this.#claims) claims.forget();
    const before = this.#invalidations;
    await nft(skeleton + changeScript(table, this.#take()));
    // What the kernel has lost meanwhile, it may have lost after this.
    this.#isLoaded = before === this.#invalidations;
  }

  /** Does without nft what changes nothing but elements: nft reads all chains and sets of the host before it begins. */
  async #transact({ chains, sets, elements }: Changes): Promise<boolean> {
    const { table, transact } = this.#options;
    const isSame = ({ before, after }: Change<string>): boolean => before === after;
    if (!transact || ![...chains.values(), ...sets.values()].every(isSame)) return false;
    const batch = elementBatch(table, elements, (set) => this.#types.get(set) ?? this.#typeOfOwn(set));
    return batch !== undefined && transact(batch);
  }

  /** The type of a set that a fragment declares. */
  #typeOfOwn(set: string): SetType | undefined {
    const declaration = this.#sets.applied(set.replace(/^inet /, ''));
    return declaration === undefined ? undefined : setType(declaration);
  }

  #take(): Changes {
    const groups = [...this.#groups.take().values()];
    const elements = groups.flatMap(({ before = [], after = [] }) => elementChanges(before, after));
    return {
      chains: this.#chains.take(),
      sets: this.#sets.take(),
      elements: [...this.#elements.take().values(), ...elements],
    };
  }

  get #claims(): readonly Pick<Claims<unknown>, 'isDirty' | 'forget'>[] {
    return [this.#chains, this.#sets, this.#elements, this.#groups];
  }
}

/** What an owner wants, by name: the text of chains, the declarations of sets, elements, and groups of them. */
interface Parts {
  readonly chains: ReadonlyMap<string, string>;
  readonly sets: ReadonlyMap<string, string>;
  readonly elements: Map<string, Element>;
  readonly groups: ReadonlyMap<string, readonly Element[]>;
}

const partsOf = ({ chains = {}, sets = {}, elements = [], groups = {} }: Fragment): Parts => ({
  chains: new Map(Object.entries(chains).map(([name, rules]) => [name, rules.join('\n')])),
  sets: new Map(Object.entries(sets)),
  elements: byId(elements),
  groups: new Map(Object.entries(groups)),
});

const byId = (elements: readonly Element[]): Map<string, Element> =>
  new Map(elements.map((element) => [elementId(element), element]));

/** Before and after of each element of a group. */
function elementChanges(before: readonly Element[], after: readonly Element[]): Change<Element>[] {
  const [old, now] = [byId(before), byId(after)];
  return [...new Set([...old.keys(), ...now.keys()])].map((id) => ({ before: old.get(id), after: now.get(id) }));
}

const isNoChange = ({ before, after }: Change<Element>): boolean =>
  before !== undefined && after !== undefined && before.value === after.value;

/** Things by name that several owners may want, and which of them the kernel has. */
class Claims<T> {
  readonly #wanted = new Map<string, Map<string, T>>();
  readonly #applied = new Map<string, T>();
  readonly #dirty = new Set<string>();
  readonly #ages: ReadonlyMap<string, number>;

  /** `ages`: of owners; those with the lower number come first. */
  constructor(ages: ReadonlyMap<string, number>) {
    this.#ages = ages;
  }

  get isDirty(): boolean {
    return this.#dirty.size > 0;
  }

  /** What the kernel has by a name. */
  applied(name: string): T | undefined {
    return this.#applied.get(name);
  }

  /** What an owner wanted becomes what it wants now; what is the same is not touched. */
  replace(
    owner: string,
    before: ReadonlyMap<string, T>,
    after: ReadonlyMap<string, T>,
    isSame: (a: T, b: T) => boolean,
  ): void {
    for (const name of before.keys()) if (!after.has(name)) this.remove(name, owner);
    for (const [name, value] of after) {
      const old = before.get(name);
      if (old === undefined || !isSame(old, value)) this.add(name, owner, value);
    }
  }

  add(name: string, owner: string, value: T): void {
    const owners = this.#wanted.get(name);
    if (owners) owners.set(owner, value);
    else this.#wanted.set(name, new Map([[owner, value]]));
    this.#dirty.add(name);
  }

  remove(name: string, owner: string): void {
    const owners = this.#wanted.get(name);
    owners?.delete(owner);
    if (owners?.size === 0) this.#wanted.delete(name);
    this.#dirty.add(name);
  }

  /** Takes the kernel to have nothing. */
  forget(): void {
    this.#applied.clear();
    this.#dirty.clear();
    for (const name of this.#wanted.keys()) this.#dirty.add(name);
  }

  #first(name: string): T | undefined {
    const ageOf = (owner: string): number => this.#ages.get(owner) ?? Number.POSITIVE_INFINITY;
    const [first, ...others] = this.#wanted.get(name) ?? [];
    return first && others.reduce((a, b) => (ageOf(b[0]) < ageOf(a[0]) ? b : a), first)[1];
  }

  /** What changes, taken as applied from now on. */
  take(): Map<string, Change<T>> {
    const changes = new Map<string, Change<T>>();
    for (const name of this.#dirty) {
      const before = this.#applied.get(name);
      const after = this.#first(name);
      if (after === undefined) this.#applied.delete(name);
      else this.#applied.set(name, after);
      if (before !== undefined || after !== undefined) changes.set(name, { before, after });
    }
    this.#dirty.clear();
    return changes;
  }
}
