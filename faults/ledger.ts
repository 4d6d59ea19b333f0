/** What the server has acknowledged of one object. A field that is missing is not known: its last answer was lost. */
export interface Fact {
  readonly exists?: boolean;
  /** Of a VM: whether its run strategy is Always, or Halted. */
  readonly runs?: boolean;
  /** Of a VM: the claim whose disc is in its drive; empty: none. */
  readonly disc?: string;
  /** Of a set. */
  readonly replicas?: number;
}

/** How a request ended, as far as its sender knows. */
export type Outcome = 'acknowledged' | 'refused' | 'unknown';

/** Keeps what users may rely on: every answer that they got. */
export class Ledger {
  readonly #facts = new Map<string, Fact>();
  /** Objects that something else changes than the users that ask for it. */
  readonly #blurred = new Set<string>();
  readonly #journal: string[] = [];

  get(name: string): Fact {
    return this.#facts.get(name) ?? { exists: false };
  }

  names(): string[] {
    return [...this.#facts.keys()];
  }

  /** What was asked for lately, in words; the journal is empty afterwards. */
  takeJournal(): string[] {
    return this.#journal.splice(0);
  }

  write(words: string): void {
    this.#journal.push(`${new Date().toISOString().slice(14, 23)} ${words}`);
  }

  /** Notes a request that would have changed an object in this way. */
  note(name: string, change: Fact, outcome: Outcome): void {
    if (outcome === 'refused' || this.#blurred.has(name)) return;
    const before = this.get(name);
    if (outcome === 'acknowledged') this.#facts.set(name, { ...before, ...change });
    else this.#facts.set(name, doubtful(before, change));
  }

  /** Nothing is known of an object until it is learnt: it is being changed at a moment of the server's own choice. */
  blur(name: string): void {
    this.#facts.set(name, {});
    this.#blurred.add(name);
  }

  /** Takes what the server says now as known. */
  learn(name: string, fact: Fact): void {
    this.#facts.set(name, fact);
    this.#blurred.delete(name);
  }

  /** Where the server says otherwise than it had acknowledged. */
  contradictions(name: string, found: Fact): string[] {
    const known = this.get(name);
    return (Object.keys(known) as (keyof Fact)[])
      .filter((field) => known[field] !== undefined && (field === 'exists' || found.exists))
      .filter((field) => known[field] !== found[field])
      .map((field) => `${name}: ${field} was acknowledged as ${known[field]}, and is ${found[field]}`);
  }
}

/** Only what the lost answer would have left as it was is still known. */
function doubtful(before: Fact, change: Fact): Fact {
  const fields = Object.entries(before).filter(([field, value]) => {
    const next = change[field as keyof Fact];
    return next === undefined || next === value;
  });
  return Object.fromEntries(fields);
}
