import {
  DeleteOptionsSchema,
  type Kind,
  ScaleSchema,
  type Schema,
  StatusBodySchema,
  WatchEventSchema,
} from '@vireo/api';
import { componentName, type GroupVersionKind, listComponentName, listSchema } from '@vireo/api/openapi.ts';
import { gvkOf } from '../registry/registry.ts';

/** What a patch may hold is not for a schema to say. */
export const PatchSchema: Schema = {
  name: 'io.k8s.apimachinery.pkg.apis.meta.v1.Patch',
  description: 'The body of a patch.',
  type: 'object',
};

/** The bodies of a kind: one object, and a list of them. Both have names. */
export interface KindSchemas {
  readonly object: Schema;
  readonly list: Schema;
}

const schemas = new WeakMap<Kind, KindSchemas>();

/** The same schemas each time, so that what is made of them can be kept. */
export function schemasOf(kind: Kind): KindSchemas {
  let known = schemas.get(kind);
  if (!known) {
    const object: Schema = kind.schema.name ? kind.schema : { ...kind.schema, name: componentName(kind) };
    known = { object, list: listSchema(kind) };
    schemas.set(kind, known);
  }
  return known;
}

/** Which of the schemas that a kind's operations speak of are kinds themselves, by name. */
export function markedKinds(kind: Kind): Record<string, readonly GroupVersionKind[]> {
  const marks: Record<string, readonly GroupVersionKind[]> = {
    [DeleteOptionsSchema.name as string]: [{ group: '', version: 'v1', kind: 'DeleteOptions' }],
    [StatusBodySchema.name as string]: [{ group: '', version: 'v1', kind: 'Status' }],
    [WatchEventSchema.name as string]: [{ group: '', version: 'v1', kind: 'WatchEvent' }],
    [ScaleSchema.name as string]: [{ group: 'autoscaling', version: 'v1', kind: 'Scale' }],
    [componentName(kind)]: [gvkOf(kind)],
    [listComponentName(kind)]: [{ ...gvkOf(kind), kind: kind.listKind }],
  };
  for (const { name, schema, group = kind.group, version = kind.version, kind: bodyKind } of kind.subresources)
    if (schema?.name && bodyKind && name !== 'status') marks[schema.name] = [{ group, version, kind: bodyKind }];
  return marks;
}
