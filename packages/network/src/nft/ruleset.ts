import { type Element, elementId, type Fragment } from './fragment.ts';
import { type Change, changeScript } from './script.ts';

export interface RulesetOptions {
  /** The name of our tables. */
  readonly table: string;
  /** The commands that make the tables anew, with everything that never changes. */
  readonly skeleton: string;
  /** Runs `nft -f -`. */
  readonly nft: (script: string) => Promise<unknown>;
  /** Told when a change failed, and everything is loaded anew. */
  readonly onReload?: (error: unknown) => void;
}

/**
 * The nftables of a network, made of fragments. A change costs as much as the fragments that changed, not as much as there
 * are. Every `apply` is one transaction: the kernel has all of it or nothing.
 */
export class Ruleset {
  readonly #options: RulesetOptions;
  readonly #fragments = new Map<string, Fragment>();
  /** For each chain, set and element, who wants it and how; the first of several wins. */
  readonly #chains = new Claims<string>();
  readonly #sets = new Claims<string>();
  readonly #elements = new Claims<Element>();
  #isLoaded = false;
  #running: Promise<void> | undefined;

  constructor(options: RulesetOptions) {
    this.#options = options;
  }

  /** Sets what an owner wants; `apply` brings it to the kernel. */
  put(owner: string, fragment: Fragment): void {
    this.drop(owner);
    this.#fragments.set(owner, fragment);
    for (const [name, rules] of Object.entries(fragment.chains ?? {})) this.#chains.add(name, owner, rules.join('\n'));
    for (const [name, declaration] of Object.entries(fragment.sets ?? {})) this.#sets.add(name, owner, declaration);
    for (const element of fragment.elements ?? []) this.#elements.add(elementId(element), owner, element);
  }

  /** Removes all that an owner wants. */
  drop(owner: string): void {
    const fragment = this.#fragments.get(owner);
    if (!fragment) return;
    this.#fragments.delete(owner);
    for (const name of Object.keys(fragment.chains ?? {})) this.#chains.remove(name, owner);
    for (const name of Object.keys(fragment.sets ?? {})) this.#sets.remove(name, owner);
    for (const element of fragment.elements ?? []) this.#elements.remove(elementId(element), owner);
  }

  has(owner: string): boolean {
    return this.#fragments.has(owner);
  }

  owners(): IterableIterator<string> {
    return this.#fragments.keys();
  }

  /** Everything is to be loaded anew by the next `apply`, because the kernel may have lost it. */
  invalidate(): void {
    this.#isLoaded = false;
  }

  /** Brings what was put and dropped so far to the kernel. */
  async apply(): Promise<void> {
    // Whoever comes while a change is on its way joins the next one.
    while (this.#running) await this.#running.catch(() => {});
    if (this.#isLoaded && !this.#chains.isDirty && !this.#sets.isDirty && !this.#elements.isDirty) return;
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
        const script = changeScript(table, this.#take());
        if (script) await nft(script);
        return;
      } catch (error) {
        // The kernel is not as we remember it: somebody else changed our tables.
        onReload?.(error);
        this.#isLoaded = false;
      }
    }
    for (const claims of [this.#chains, this.#sets, this.#elements]) claims.forget();
    await nft(skeleton + changeScript(table, this.#take()));
    this.#isLoaded = true;
  }

  #take() {
    return { chains: this.#chains.take(), sets: this.#sets.take(), elements: this.#elements.take().values() };
  }
}

/** Things by name that several owners may want, and which of them the kernel has. */
class Claims<T> {
  readonly #wanted = new Map<string, Map<string, T>>();
  readonly #applied = new Map<string, T>();
  readonly #dirty = new Set<string>();

  get isDirty(): boolean {
    return this.#dirty.size > 0;
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

  /** What changes, taken as applied from now on. */
  take(): Map<string, Change<T>> {
    const changes = new Map<string, Change<T>>();
    for (const name of this.#dirty) {
      const before = this.#applied.get(name);
      const after = this.#wanted.get(name)?.values().next().value;
      if (after === undefined) this.#applied.delete(name);
      else this.#applied.set(name, after);
      if (before !== undefined || after !== undefined) changes.set(name, { before, after });
    }
    this.#dirty.clear();
    return changes;
  }
}
