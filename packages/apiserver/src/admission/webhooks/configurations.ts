import type { Kind } from '@vireo/api';
import type { AdmissionRequest } from '../admission.ts';
import type { Expression } from '../expressions/expression.ts';
import { compileMatchConditions } from '../expressions/matchConditions.ts';
import type { AdmittedKinds } from '../kinds.ts';
import { wantedKind } from './match.ts';
import type { Webhook, WebhookConfiguration } from './types.ts';

const OWN_GROUP = 'admissionregistration.k8s.io';

/** A webhook with its conditions; `key` tells it from all others. */
interface CompiledWebhook extends Webhook {
  readonly key: string;
  readonly conditions: readonly Expression[];
}

/** A webhook that is to be asked about a sort of writes, and the kind in which it wants to see the objects. */
export interface Interested extends CompiledWebhook {
  readonly as: Kind;
}

/** The webhooks of all configurations of one kind, in the order in which they are asked: that of their names. */
export class Configurations {
  readonly #kinds: AdmittedKinds;
  readonly #byName = new Map<string, readonly CompiledWebhook[]>();
  #webhooks: readonly CompiledWebhook[] = [];
  /** Those whose rules are about a sort of writes. Asked for with every write, and the same until a rule changes. */
  #bySort = new WeakMap<Kind, Map<string, readonly Interested[]>>();

  constructor(kinds: AdmittedKinds) {
    this.#kinds = kinds;
  }

  /** Takes in a new or changed configuration. */
  update({ metadata, webhooks = [] }: WebhookConfiguration): void {
    const compiled = webhooks.map((webhook) => ({
      ...webhook,
      key: `${metadata.name}/${webhook.name}`,
      conditions: compileMatchConditions(webhook.matchConditions),
    }));
    this.#byName.set(metadata.name as string, compiled);
    this.#order();
  }

  remove({ metadata }: WebhookConfiguration): void {
    this.#byName.delete(metadata.name as string);
    this.#order();
  }

  #order(): void {
    const inOrder = [...this.#byName].sort(([a], [b]) => (a < b ? -1 : 1));
    this.#webhooks = inOrder.flatMap(([, webhooks]) => webhooks);
    this.#bySort = new WeakMap();
  }

  /** The webhooks whose rules are about such a request. Configurations themselves are beyond their reach. */
  interestedIn({ operation, kind, subresource = '' }: AdmissionRequest): readonly Interested[] {
    if (this.#webhooks.length === 0 || kind.group === OWN_GROUP) return [];
    // A kind whose definition changes is another one afterwards.
    const ofKind = this.#bySort.get(kind) ?? new Map<string, readonly Interested[]>();
    this.#bySort.set(kind, ofKind);
    const key = `${operation} ${subresource}`;
    const known = ofKind.get(key);
    if (known) return known;
    const equivalents = this.#kinds.equivalentsOf(kind);
    const found = this.#webhooks.flatMap((webhook) => {
      const as = wantedKind(webhook, { operation, kind, subresource }, equivalents);
      return as ? [{ ...webhook, as }] : [];
    });
    ofKind.set(key, found);
    return found;
  }
}
