/** What the server has acknowledged of one machine. A field that is missing is not known: its last answer was lost. */
export interface Fact {
  readonly exists?: boolean;
  /** Whether its run strategy is Always, or Halted. */
  readonly runs?: boolean;
  /** Of a set. */
  readonly replicas?: number;
}

/** How a request ended, as far as its sender knows. */
export type Outcome = 'acknowledged' | 'refused' | 'unknown';

/** Keeps what users may rely on: every answer that they got. */
export class Ledger {
  readonly #facts = new Map<string, Fact>();
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

  /** Notes a request that would have changed a machine in this way; `words` are for the journal. */
  note(name: string, change: Fact, outcome: Outcome, words = ''): void {
    this.#journal.push(`${new Date().toISOString().slice(14, 23)} ${name} ${words}: ${outcome}`);
    if (outcome === 'refused') return;
    const before = this.get(name);
    if (outcome === 'acknowledged') this.#facts.set(name, { ...before, ...change });
    else this.#facts.set(name, doubtful(before, change));
  }

  /** Takes what the server says now as known. */
  learn(name: string, fact: Fact): void {
    this.#facts.set(name, fact);
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
