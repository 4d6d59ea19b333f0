import { ApiError, type Persisted, type UnknownObject } from '@vireo/api';
import type { Client, ResourceClient } from '@vireo/kube';
import type { Random } from '../../../faults/random.ts';
import { type Ledger, placeOf } from './ledger.ts';
import { draft, type Subject } from './subjects.ts';

/** An object that one user alone writes to, as the server told of it last. */
export interface Own {
  readonly subject: Subject;
  readonly object: Persisted<UnknownObject>;
}

/** One client of the soak: a connection, the objects that only it writes, and its random choices. */
export class User {
  readonly name: string;
  readonly client: Client;
  readonly random: Random;
  readonly ledger: Ledger;
  readonly namespace: string;
  readonly own = new Map<string, Own>();
  #made = 0;

  constructor(name: string, namespace: string, client: Client, random: Random, ledger: Ledger) {
    this.name = name;
    this.namespace = namespace;
    this.client = client;
    this.random = random;
    this.ledger = ledger;
  }

  of(subject: Subject): ResourceClient<UnknownObject> {
    return this.client.of<UnknownObject>(subject.ref);
  }

  /** A draft with a name that was never used. */
  draft(subject: Subject): ReturnType<typeof draft> {
    return draft(subject, `${this.name}-${++this.#made}`, this.namespace, this.name, this.random);
  }

  pickOwn(filter: (own: Own) => boolean = () => true): Own | undefined {
    const all = [...this.own.values()].filter(filter);
    return all.length === 0 ? undefined : this.random.pick(all);
  }

  /** Notes what the server has answered to a write of an object of one's own. */
  wrote(subject: Subject, object: Persisted<UnknownObject>): Persisted<UnknownObject> {
    this.ledger.note(object, { isControlled: subject.isControlled ?? false });
    this.own.set(placeOf(object), { subject, object });
    return object;
  }

  /** Notes that the server has said it is gone. */
  removed({ object }: Own): void {
    this.ledger.noteDeleted(object);
    this.own.delete(placeOf(object));
  }

  /** Calls that must be refused, with this code. */
  async refused(code: number, call: Promise<unknown>): Promise<void> {
    const answer = await call.catch((error: unknown) => error);
    if (!(answer instanceof ApiError))
      throw new Error(`refusal with ${code} was expected, and this came: ${show(answer)}`);
    if (answer.code !== code) throw answer;
  }
}

export const show = (value: unknown): string =>
  value instanceof Error ? value.message : (JSON.stringify(value)?.slice(0, 500) ?? String(value));
