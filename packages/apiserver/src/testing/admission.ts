import { ApiError, defineKind, type Kind, type Persisted, type UnknownObject } from '@vireo/api';
import { persisted } from '@vireo/api/testing/persisted.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts';
import { Rounds } from '../admission/reinvocation.ts';
import type { Lookup } from '../strategies/strategy.ts';

/** A kind for tests of plug-ins, which look only at its names. */
export const kindOf = (kind: string, plural: string, group = '', namespaced = true): Kind =>
  defineKind({ group, version: 'v1', kind, plural, namespaced, schema: { type: 'object' } });

export const podKind = kindOf('Pod', 'pods');

/** An object for tests: metadata filled up, everything else as given. */
export const object = (kind: Kind, name: string, body: object = {}, metadata: object = {}): UnknownObject => ({
  apiVersion: kind.group ? `${kind.group}/${kind.version}` : kind.version,
  kind: kind.kind,
  metadata: { name, ...(kind.namespaced && { namespace: 'default' }), uid: `uid-${name}`, ...metadata },
  ...body,
});

export interface TestRequest extends AdmissionRequest {
  /** Says how the write ended. */
  settle(written: boolean): void;
}

/** A request as the chain makes it. */
export function request(
  operation: AdmissionRequest['operation'],
  kind: Kind,
  subject: { object?: UnknownObject; oldObject?: UnknownObject; subresource?: string; dryRun?: boolean },
): TestRequest {
  const callbacks: ((written: boolean) => void)[] = [];
  const known = subject.object ?? subject.oldObject;
  return {
    operation,
    kind,
    namespace: known?.metadata.namespace,
    name: known?.metadata.name ?? '',
    user: { username: 'tester', groups: [] },
    dryRun: false,
    options: {},
    warn: () => {},
    onSettled: (callback) => void callbacks.push(callback),
    rounds: new Rounds(),
    settle: (written) => {
      for (const callback of callbacks) callback(written);
    },
    ...subject,
  };
}

export const create = (kind: Kind, created: UnknownObject, more: { dryRun?: boolean } = {}): TestRequest =>
  request('CREATE', kind, { object: created, ...more });

/** Objects to look up; tests push to it as a store would change. */
export class Objects implements Lookup {
  readonly #objects = new Map<string, Map<string, Persisted<UnknownObject>>>();

  put(kind: Kind, ...objects: UnknownObject[]): this {
    const resource = this.#of(kind.group, kind.plural);
    for (const each of objects) resource.set(`${each.metadata.namespace ?? ''}/${each.metadata.name}`, persisted(each));
    return this;
  }

  get(
    group: string,
    resource: string,
    namespace: string | undefined,
    name: string,
  ): Persisted<UnknownObject> | undefined {
    return this.#of(group, resource).get(`${namespace ?? ''}/${name}`);
  }

  list(group: string, resource: string, namespace?: string): Persisted<UnknownObject>[] {
    return [...this.#of(group, resource).values()].filter(
      ({ metadata }) => namespace === undefined || metadata.namespace === namespace,
    );
  }

  #of(group: string, resource: string): Map<string, Persisted<UnknownObject>> {
    const key = `${group}/${resource}`;
    const found = this.#objects.get(key) ?? new Map<string, Persisted<UnknownObject>>();
    this.#objects.set(key, found);
    return found;
  }
}

/** Runs both halves of a plug-in; the message of its refusal, or `admitted`. */
export async function outcome(plugin: AdmissionPlugin, admitted: AdmissionRequest): Promise<string> {
  try {
    await plugin.mutate?.(admitted);
    await plugin.validate?.(admitted);
    return 'admitted';
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${error.message}`;
    throw error;
  }
}
