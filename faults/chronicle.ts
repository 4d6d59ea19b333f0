/** One event of a watch. */
export interface Entry {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly name: string;
  readonly version: string;
}

/** What of an object in a list matters here. */
export type Listed = Omit<Entry, 'type'>;

/**
 * What a client that never looks away has seen of one kind. Judges whether that can be all there was: by the order of
 * versions, by what a list shows, and by what another watch from the same beginning tells.
 */
export class Chronicle {
  /** Version by name. */
  readonly #seen = new Map<string, string>();
  readonly #entries: Entry[] = [];
  readonly #problems: string[] = [];
  #version = '';
  #markedAt = '';

  /** The last version that was seen: where a watch goes on. */
  get version(): string {
    return this.#version;
  }

  /** Where the entries begin. */
  get markedAt(): string {
    return this.#markedAt;
  }

  /** How many events there were since. */
  get length(): number {
    return this.#entries.length;
  }

  /** The version of the last of them. */
  get lastVersion(): string | undefined {
    return this.#entries.at(-1)?.version;
  }

  /** Begins anew from a list. */
  begin(version: string, items: readonly Listed[]): void {
    this.#seen.clear();
    for (const each of items) this.#seen.set(each.name, each.version);
    this.#version = version;
    this.mark();
  }

  /** Lets go of what has been looked at. */
  mark(): void {
    this.#entries.length = 0;
    this.#markedAt = this.#version;
  }

  bookmark(version: string): void {
    if (Number(version) < Number(this.#version))
      this.#problems.push(`a bookmark of version ${version} came after ${this.#version}`);
    this.#version = version;
  }

  take(entry: Entry): void {
    const { type, name, version } = entry;
    if (Number(version) <= Number(this.#version))
      this.#problems.push(`${name}: version ${version} came after ${this.#version}`);
    if ((type === 'ADDED') === this.#seen.has(name))
      this.#problems.push(`${name}: ${type} for one that is ${this.#seen.has(name) ? 'known' : 'unknown'}`);
    this.#version = version;
    this.#entries.push(entry);
    if (type === 'DELETED') this.#seen.delete(name);
    else this.#seen.set(name, version);
  }

  /** Tells of anything else that is wrong with an event. */
  object(problem: string): void {
    this.#problems.push(problem);
  }

  takeProblems(): string[] {
    return this.#problems.splice(0);
  }

  /** Where a list of now shows something else. */
  differing(items: readonly Listed[]): string[] {
    const now = new Map(items.map(({ name, version }) => [name, version]));
    return [...new Set([...now.keys(), ...this.#seen.keys()])]
      .filter((name) => now.get(name) !== this.#seen.get(name))
      .map((name) => `${name}: the list has version ${now.get(name)}, the watch came to ${this.#seen.get(name)}`);
  }

  /** What another watch from the mark on has seen and this one has not, and the other way round. */
  gaps(replayed: readonly Entry[]): string[] {
    const last = Number(this.#version);
    const text = ({ type, name, version }: Entry): string => `${type} ${name} of version ${version}`;
    const theirs = replayed.filter(({ version }) => Number(version) <= last).map(text);
    const ours = this.#entries.map(text);
    return [
      ...theirs.filter((each) => !ours.includes(each)).map((each) => `${each} was never seen`),
      ...ours.filter((each) => !theirs.includes(each)).map((each) => `${each} was seen, and is not in the history`),
    ];
  }
}
