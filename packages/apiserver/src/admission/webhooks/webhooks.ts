import { internalError, type Kind, type UnknownObject } from '@vireo/api';
import { deepClone, deepEqual } from '@vireo/api/json.ts';
import { applyJsonPatch, JsonPatchError } from '@vireo/api/jsonPatch.ts';
import type { Authorizer } from '../../rbac/authorize.ts';
import type { Lookup } from '../../strategies/strategy.ts';
import type { WebhookClient } from '../../webhooks/client.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import { evaluateMatchConditions } from '../expressions/matchConditions.ts';
import type { AdmittedKinds } from '../kinds.ts';
import { refuse } from '../refuse.ts';
import { convertedTo, viewAs } from '../viewAs.ts';
import { type Allowed, askWebhook, type Question } from './call.ts';
import { Configurations, type Interested } from './configurations.ts';
import { isSelected } from './match.ts';
import type { WebhookObserver } from './observe.ts';
import type { WebhookConfiguration } from './types.ts';

/** What webhooks are called with. */
export interface WebhookParts {
  readonly client: WebhookClient;
  readonly lookup: Lookup;
  readonly kinds: AdmittedKinds;
  readonly authorizer: Authorizer;
  readonly observer: WebhookObserver;
}

/** Admission by webhook configurations: mutating webhooks one after another, validating ones all at once. */
export class Webhooks implements AdmissionPlugin {
  readonly name = 'Webhooks';
  readonly #parts: WebhookParts;
  readonly #mutating: Configurations;
  readonly #validating: Configurations;

  constructor(parts: WebhookParts) {
    this.#parts = parts;
    this.#mutating = new Configurations(parts.kinds);
    this.#validating = new Configurations(parts.kinds);
  }

  /** Takes in a new or changed configuration. */
  update(configuration: WebhookConfiguration): void {
    this.#of(configuration).update(configuration);
  }

  remove(configuration: WebhookConfiguration): void {
    this.#of(configuration).remove(configuration);
  }

  #of({ kind }: WebhookConfiguration): Configurations {
    return kind === 'MutatingWebhookConfiguration' ? this.#mutating : this.#validating;
  }

  async mutate(request: AdmissionRequest): Promise<void> {
    const webhooks = this.#mutating.interestedIn(request);
    if (webhooks.length === 0) return;
    const reinvocations = request.rounds.of(this.name);
    reinvocations.begin(request.object);
    for (const webhook of webhooks) {
      const question = await this.#questionFor(webhook, request, 'admit');
      if (!question || !reinvocations.isDue(webhook.key)) continue;
      const answer = await this.#ask(question);
      const changed = answer !== undefined && (await this.#change(question, request, answer));
      reinvocations.called(webhook.key, changed, webhook.reinvocationPolicy);
    }
    reinvocations.end();
  }

  async validate(request: AdmissionRequest): Promise<void> {
    const webhooks = this.#validating.interestedIn(request);
    if (webhooks.length === 0) return;
    const questions: Question[] = [];
    for (const webhook of webhooks) {
      const question = await this.#questionFor(webhook, request, 'validating');
      if (question) questions.push(question);
    }
    // All are waited for, so that none outlives the request.
    const answers = await Promise.allSettled(questions.map((question) => this.#ask(question)));
    for (const answer of answers) if (answer.status === 'rejected') throw answer.reason;
  }

  #ask(question: Question): Promise<Allowed | undefined> {
    return askWebhook(question, this.#parts.client, this.#parts.observer);
  }

  /** What a webhook is asked of the write as it is now; undefined: nothing. Throws 403 for conditions with errors. */
  async #questionFor(
    webhook: Interested,
    request: AdmissionRequest,
    type: Question['type'],
  ): Promise<Question | undefined> {
    if (!isSelected(webhook, request, this.#parts.lookup)) return undefined;
    const { conditions, as, failurePolicy } = webhook;
    const view = as === request.kind ? request : await viewAs(this.#parts.kinds, request, as);
    const seen = { request: view, version: as.version, authorizer: this.#parts.authorizer };
    const { matches, error } = evaluateMatchConditions(conditions, seen, failurePolicy);
    if (error !== undefined) throw refuse(request, error);
    return matches ? { webhook, type, request: view, as } : undefined;
  }

  /** Does to the object what a webhook wants. Returns whether it is another than before. */
  async #change(
    { webhook, as, request: view }: Question,
    request: AdmissionRequest,
    answer: Allowed,
  ): Promise<boolean> {
    if (answer.operations.length === 0) return false;
    const { object, kind, objectKind } = request;
    if (!object || !view.object)
      throw internalError(
        `admission webhook "${webhook.name}" attempted to modify the object, which is not supported for this operation`,
      );
    const patched = this.#patched(view.object, answer.operations, objectKind ? undefined : as);
    const result = as === kind || objectKind ? patched : await convertedTo(this.#parts.kinds, patched, as, kind);
    if (deepEqual(result, object)) return false;
    for (const key of Object.keys(object)) delete (object as Record<string, unknown>)[key];
    Object.assign(object, result);
    return true;
  }

  /** What a patch makes of an object, still one of its kind: the rest of the server relies on the types. */
  #patched(object: UnknownObject, operations: readonly unknown[], kind: Kind | undefined): UnknownObject {
    try {
      const result = applyJsonPatch(deepClone(object), operations);
      return kind ? this.#parts.kinds.decode(kind, result) : (result as UnknownObject);
    } catch (error) {
      const why = error instanceof JsonPatchError ? error.why : (error as Error).message;
      throw internalError(why.replace(/^\w+ in version "\w+" cannot be handled as a \w+: /, ''));
    }
  }
}
