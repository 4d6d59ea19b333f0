import type { Step } from '../case.ts';

type Body = Readonly<Record<string, unknown>>;
export type Schema = Body;

/** A version of the custom resource of a case. */
export interface Version {
  readonly name: string;
  readonly schema: Schema;
  readonly isStorage?: boolean;
  readonly subresources?: Body;
  readonly more?: Body;
}

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const OBJECTS = '/apis/{group}/v1/namespaces/default/widgets';
const OBJECT = `${OBJECTS}/w`;

/** Where the CRD of a case is. */
export const CRD_PATH = `${CRDS}/widgets.{group}`;

/** The CRD of Widgets, with the given versions. */
export function crdObject(versions: readonly Version[], spec: Body = {}): Body {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.{group}' },
    spec: {
      group: '{group}',
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: versions.map(({ name, schema, isStorage, subresources, more }, index) => ({
        name,
        served: true,
        storage: isStorage ?? index === 0,
        schema: { openAPIV3Schema: schema },
        ...(subresources && { subresources }),
        ...more,
      })),
      ...spec,
    },
  };
}

/** A schema of these properties below `spec`, beside a status that takes anything. */
export const withSpec = (properties: Body, more: Body = {}): Schema => ({
  type: 'object',
  properties: {
    spec: { type: 'object', properties, ...more },
    status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
});

/** Creates the CRD with one version `v1` of this schema. */
export const crd = (schema: Schema, subresources?: Body): Step =>
  crdOf([{ name: 'v1', schema, ...(subresources && { subresources }) }]);

/** Creates the CRD with these versions. */
export const crdOf = (versions: readonly Version[], spec?: Body): Step => ({
  method: 'POST',
  path: CRDS,
  body: crdObject(versions, spec),
});

interface Options {
  readonly manager?: string;
  readonly force?: boolean;
  readonly subresource?: string;
  readonly version?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly name?: string;
  readonly userAgent?: string;
}

/** An object of the case's kind: `w` in `default` unless the fields say otherwise. */
export function widget(fields: Body, { version = 'v1', name = 'w' }: Options = {}): Body {
  const { metadata, ...rest } = fields as { metadata?: Body };
  return { apiVersion: `{group}/${version}`, kind: 'Widget', metadata: { name, ...metadata }, ...rest };
}

export const create = (fields: Body, options: Options = {}): Step => ({
  ...about('POST', options, true),
  body: widget(fields, options),
});

export const get = (options: Options = {}): Step => about('GET', options);

/** Replaces the object by what the server has, with this merge patch. */
export const edit = (change: Body, options: Options = {}): Step => ({ ...about('PUT', options), edit: change });

/** Replaces the object by exactly this. */
export const put = (fields: Body, options: Options = {}): Step => ({
  ...about('PUT', options),
  body: widget(fields, options),
});

export const mergePatch = (body: unknown, options: Options = {}): Step => ({
  ...about('PATCH', options),
  contentType: 'application/merge-patch+json',
  body,
});

export const jsonPatch = (body: unknown, options: Options = {}): Step => ({
  ...about('PATCH', options),
  contentType: 'application/json-patch+json',
  body,
});

/** Applies fields of an object. */
export const apply = (manager: string, fields: Body, options: Options = {}): Step =>
  applyText(manager, widget(fields, options), options);

/** Applies a body as it is: an object, or a text of YAML. */
export const applyText = (manager: string | undefined, body: unknown, options: Options = {}): Step => ({
  ...about('PATCH', { ...options, ...(manager !== undefined && { manager }) }),
  contentType: 'application/apply-patch+yaml',
  body,
});

export const remove = (options: Options = {}, body?: unknown): Step => ({
  ...about('DELETE', options),
  ...(body !== undefined && { body }),
});

function about(method: Step['method'], options: Options, isCollection = false): Step {
  const { manager, force, subresource, version = 'v1', query, name = 'w', userAgent } = options;
  const base = isCollection ? OBJECTS : OBJECT.replace(/w$/, name);
  const all = {
    ...(manager !== undefined && { fieldManager: manager }),
    ...(force !== undefined && { force: String(force) }),
    ...query,
  };
  return {
    method,
    path: `${base.replace('/v1/', `/${version}/`)}${subresource ? `/${subresource}` : ''}`,
    ...(Object.keys(all).length > 0 && { query: all }),
    ...(userAgent !== undefined && { userAgent }),
  };
}
