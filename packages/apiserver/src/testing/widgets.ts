import type { UnknownObject } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import type { Calls } from './calls.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

interface WidgetOptions {
  readonly group: string;
  readonly plural?: string;
  readonly kind?: string;
  readonly scope?: 'Namespaced' | 'Cluster';
  readonly names?: object;
  /** Each is a whole version but for what is the same in most; the first is stored. */
  readonly versions?: readonly Record<string, unknown>[];
  readonly spec?: object;
}

/** A CustomResourceDefinition with little to say: any fields, one version, no subresources. */
export function widgetDefinition(options: WidgetOptions): UnknownObject {
  const { group, plural = 'widgets', kind = 'Widget', scope = 'Namespaced', names = {}, spec = {} } = options;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { plural, kind, ...names },
      versions: (options.versions ?? [{}]).map((version, index) => ({
        name: `v${index + 1}`,
        served: true,
        storage: index === 0,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        ...version,
      })),
      ...spec,
    },
  };
}

type Conditions = { conditions?: { type: string; status: string; reason: string; message: string }[] };

/** The condition of a definition, once it has the wanted status. */
export async function definitionCondition(calls: Calls, name: string, type: string, status = 'True') {
  for (;;) {
    const { body } = await calls.get(`${DEFINITIONS}/${name}`);
    const found = (body.status as Conditions | undefined)?.conditions?.find((condition) => condition.type === type);
    if (found?.status === status) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Creates a definition and waits until its objects are served. */
export async function define(calls: Calls, options: WidgetOptions): Promise<UnknownObject> {
  const { status, body } = await calls.post(DEFINITIONS, widgetDefinition(options));
  if (status !== 201) throw new Error(`the definition was refused: ${body.message}`);
  await definitionCondition(calls, body.metadata.name as string, 'Established');
  return body;
}

/** A Widget says its type, like every custom resource that is written; tests need not repeat it. */
export function withWidgetType(path: string, body: unknown): unknown {
  const [, apiVersion] = /^\/apis\/([^/]+\/[^/]+)\/(?:.*\/)?widgets(?:\/[^/]+)?$/.exec(path) ?? [];
  return apiVersion === undefined || !isObject(body) ? body : { apiVersion, kind: 'Widget', ...body };
}
