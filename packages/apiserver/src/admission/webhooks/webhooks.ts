import { internalError, type Kind, type UnknownObject } from '@vireo/api';
import { deepClone, deepEqual } from '@vireo/api/json.ts';
import { applyJsonPatch, JsonPatchError } from '@vireo/api/jsonPatch.ts';
import type { UserInfo } from '@vireo/kube';
import type { Authorizer } from '../../rbac/authorize.ts';
import type { Services } from '../../services/services.ts';
import type { Lookup } from '../../strategies/strategy.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import type { Expression } from '../expressions/expression.ts';
import { compileMatchConditions, evaluateMatchConditions } from '../expressions/matchConditions.ts';
import type { AdmittedKinds } from '../kinds.ts';
import { refuse } from '../refuse.ts';
import { isSelected, wantedVersion } from './match.ts';
import { refusal, reviewOf } from './review.ts';
import type { ReviewResponse, Webhook, WebhookConfiguration } from './types.ts';

const SELF: UserInfo = { username: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] };
const OWN_GROUP = 'admissionregistration.k8s.io';
const MAX_SORTS = 4096;

/** A webhook that is to be asked about a write, and the version in which it wants to see it. */
interface Interested extends CompiledWebhook {
  readonly version: string;
}

/** A webhook with its conditions; `key` tells it from all others. */
interface CompiledWebhook extends Webhook {
  readonly key: string;
  readonly conditions: readonly Expression[];
}

/**
 * Admission by webhook configurations. A configuration names a service; one that runs in this process is called
 * directly with an AdmissionReview, the same document that would travel over the network.
 */
export class Webhooks implements AdmissionPlugin {
  readonly name = 'Webhooks';
  readonly #services: Services;
  readonly #lookup: Lookup;
  readonly #kinds: AdmittedKinds;
  readonly #authorizer: Authorizer;
  readonly #configurations = new Map<string, CompiledConfiguration>();
  /** The webhooks of each kind of configuration, in the order in which they are asked: that of its names. */
  #webhooks = new Map<string, readonly CompiledWebhook[]>();
  /** Those whose rules are about a sort of writes. Asked for with every write, and the same until a rule changes. */
  readonly #bySort = new Map<string, readonly Interested[]>();

  constructor(services: Services, lookup: Lookup, kinds: AdmittedKinds, authorizer: Authorizer) {
    this.#services = services;
    this.#lookup = lookup;
    this.#kinds = kinds;
    this.#authorizer = authorizer;
  }

  /** Takes in a new or changed configuration. */
  update(configuration: WebhookConfiguration): void {
    this.#configurations.set(`${configuration.kind} ${configuration.metadata.name}`, compiled(configuration));
    this.#order();
  }

  remove(configuration: WebhookConfiguration): void {
    this.#configurations.delete(`${configuration.kind} ${configuration.metadata.name}`);
    this.#order();
  }

  #order(): void {
    const byName = [...this.#configurations].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
    const groups = Map.groupBy(byName, ({ kind }) => kind);
    this.#webhooks = new Map([...groups].map(([kind, all]) => [kind, all.flatMap(({ webhooks }) => webhooks)]));
    this.#bySort.clear();
  }

  async mutate(request: AdmissionRequest): Promise<void> {
    const webhooks = this.#interested('MutatingWebhookConfiguration', request);
    if (webhooks.length === 0) return;
    const reinvocations = request.rounds.of(this.name);
    reinvocations.begin(request.object);
    for (const webhook of webhooks) {
      if (!this.#isMeant(webhook, request) || !reinvocations.isDue(webhook.key)) continue;
      const changed = await this.#mutateOnce(webhook, request);
      reinvocations.called(webhook.key, changed, webhook.reinvocationPolicy);
    }
    reinvocations.end();
  }

  async validate(request: AdmissionRequest): Promise<void> {
    const webhooks = this.#interested('ValidatingWebhookConfiguration', request);
    if (webhooks.length === 0) return;
    const meant = webhooks.filter((webhook) => this.#isMeant(webhook, request));
    await Promise.all(meant.map((webhook) => this.#call(webhook, request)));
  }

  /** Configurations themselves are beyond the reach of webhooks. */
  #interested(configuration: string, request: AdmissionRequest): readonly Interested[] {
    return request.kind.group === OWN_GROUP ? [] : this.#ofSort(configuration, request);
  }

  /** Whether it is to be called for this write as it is now. Throws 403 if its conditions cannot be evaluated. */
  #isMeant(webhook: Interested, request: AdmissionRequest): boolean {
    if (!isSelected(webhook, request, this.#lookup)) return false;
    const { conditions, version, failurePolicy } = webhook;
    const seen = { request, version, authorizer: this.#authorizer };
    const { matches, error } = evaluateMatchConditions(conditions, seen, failurePolicy);
    if (error !== undefined) throw refuse(request, error);
    return matches;
  }

  #ofSort(configuration: string, { operation, kind, subresource }: AdmissionRequest): readonly Interested[] {
    const versions = this.#kinds.versionsOf(kind);
    const scope = kind.namespaced ? 'Namespaced' : 'Cluster';
    const sort = [configuration, operation, kind.group, kind.version, kind.plural, scope, subresource, ...versions];
    const key = sort.join(' ');
    const known = this.#bySort.get(key);
    if (known) return known;
    const found = (this.#webhooks.get(configuration) ?? []).flatMap((webhook) => {
      const version = wantedVersion(webhook, { operation, kind, subresource }, versions);
      return version === undefined ? [] : [{ ...webhook, version }];
    });
    // Kinds of users come and go.
    if (this.#bySort.size >= MAX_SORTS) this.#bySort.clear();
    this.#bySort.set(key, found);
    return found;
  }

  /** Whether it changed the object. */
  async #mutateOnce(webhook: Interested, request: AdmissionRequest): Promise<boolean> {
    const response = await this.#call(webhook, request);
    if (!response?.patch || !request.object) return false;
    const patched = this.#applyPatch(webhook, request.kind, request.object, response.patch);
    if (deepEqual(patched, request.object)) return false;
    for (const key of Object.keys(request.object)) delete (request.object as Record<string, unknown>)[key];
    Object.assign(request.object, patched);
    return true;
  }

  /** What the patch makes of an object, still one of its kind: the rest of the server relies on the types. */
  #applyPatch(webhook: Webhook, kind: Kind, object: UnknownObject, base64: string): UnknownObject {
    try {
      const patch: unknown = JSON.parse(Buffer.from(base64, 'base64').toString());
      return this.#kinds.decode(kind, applyJsonPatch(deepClone(object), patch));
    } catch (error) {
      const why = error instanceof JsonPatchError ? error.why : (error as Error).message;
      throw internalError(`webhook "${webhook.name}" sent a patch that cannot be applied: ${why}`);
    }
  }

  /** The response of a webhook that allows; undefined where its failure is to be ignored. Throws the refusal. */
  async #call(webhook: Interested, request: AdmissionRequest): Promise<ReviewResponse | undefined> {
    let response: ReviewResponse;
    try {
      response = await this.#ask(webhook, request);
    } catch (error) {
      if (webhook.failurePolicy === 'Ignore') return undefined;
      throw internalError(`failed calling webhook "${webhook.name}": ${(error as Error).message}`);
    }
    for (const warning of response.warnings ?? []) request.warn(warning);
    if (response.allowed) return response;
    throw refusal(webhook, response);
  }

  async #ask(webhook: Interested, request: AdmissionRequest): Promise<ReviewResponse> {
    const { service, url } = webhook.clientConfig;
    const handler = service && this.#services.find(service.namespace, service.name);
    if (!handler)
      throw new Error(
        `${service ? `service "${service.namespace}/${service.name}"` : url} does not run in this process`,
      );
    const review = reviewOf(request, webhook.version);
    const reply = await withDeadline(webhook.timeoutSeconds ?? 10, (signal, seconds) =>
      handler({
        method: 'POST',
        path: service?.path ?? '/',
        query: new URLSearchParams({ timeout: `${seconds}s` }),
        headers: { 'content-type': 'application/json' },
        user: SELF,
        body: async () => ({ value: review, contentType: 'application/json' }),
        signal,
      }),
    );
    if (reply.type !== 'object' || reply.status !== 200)
      throw new Error(`the server answered with HTTP ${reply.status}`);
    const { response } = reply.object() as { response?: ReviewResponse };
    if (!response) throw new Error('webhook response was absent');
    if (response.uid !== review.request.uid)
      throw new Error(
        `expected response.uid=${JSON.stringify(review.request.uid)}, got ${JSON.stringify(response.uid)}`,
      );
    return response;
  }
}

interface CompiledConfiguration {
  readonly kind: string;
  readonly webhooks: readonly CompiledWebhook[];
}

const compiled = ({ kind, metadata, webhooks = [] }: WebhookConfiguration): CompiledConfiguration => ({
  kind: kind as string,
  webhooks: webhooks.map((webhook) => ({
    ...webhook,
    key: `${metadata.name}/${webhook.name}`,
    conditions: compileMatchConditions(webhook.matchConditions),
  })),
});

async function withDeadline<T>(
  seconds: number,
  call: (signal: AbortSignal, seconds: number) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new Error(`context deadline exceeded after ${seconds} s`));
    abort.abort();
  }, seconds * 1000);
  try {
    return await Promise.race([late.promise, call(abort.signal, seconds)]);
  } finally {
    clearTimeout(timer);
  }
}
