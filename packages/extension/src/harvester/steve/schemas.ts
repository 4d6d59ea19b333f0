import type { Kind, Schema } from '@vireo/api';
import type { Action } from '../../actions/action.ts';
import { actionsOf } from './possible.ts';
import { STEVE_TYPES, type SteveType } from './types.ts';
import type { Urls } from './urls.ts';

/** What clients of the Steve API ask for before all else: every type, with its actions and their inputs. */
export function schemasOf(actions: readonly Action[], urls: Urls): Record<string, unknown>[] {
  const inputs = new Map(
    actions.flatMap(({ group, body }) => (body?.name && group.includes('harvester') ? [[inputName(body), body]] : [])),
  );
  return [
    ...STEVE_TYPES.map((type) => typeSchema(type, actionsOf(actions, type), urls)),
    ...[...inputs].map(([id, body]) => ({
      id,
      type: 'schema',
      links: { self: urls.schemas(id) },
      pluralName: `${id}s`,
      resourceMethods: [],
      collectionMethods: [],
      resourceFields: fieldsOf(body),
    })),
  ];
}

/** `io.harvesterhci.v1beta1.AddVolumeInput` is `addVolumeInput` there. */
function inputName({ name = '' }: Schema): string {
  const last = name.split('.').at(-1) ?? '';
  return last.charAt(0).toLowerCase() + last.slice(1);
}

function typeSchema(type: SteveType, actions: readonly Action[], urls: Urls): Record<string, unknown> {
  const { id, pluralId, kind } = type;
  const inputs = (isOfCollection: boolean) =>
    actions
      .filter((action) => !action.isLink && (action.isOfCollection ?? false) === isOfCollection)
      .map(({ name, body }) => [name, body ? { input: inputName(body) } : {}] as const);
  const [ofObjects, ofCollection] = [inputs(false), inputs(true)];
  return {
    id,
    type: 'schema',
    links: { self: urls.schemas(id), collection: urls.collection(type) },
    pluralName: pluralId,
    resourceMethods: methods(kind, { get: 'GET', update: 'PUT', patch: 'PATCH', delete: 'DELETE' }),
    collectionMethods: methods(kind, { list: 'GET', create: 'POST' }),
    resourceFields: {},
    ...(ofObjects.length > 0 && { resourceActions: Object.fromEntries(ofObjects) }),
    ...(ofCollection.length > 0 && { collectionActions: Object.fromEntries(ofCollection) }),
    attributes: {
      group: kind.group,
      version: kind.version,
      kind: kind.kind,
      resource: kind.plural,
      namespaced: kind.namespaced,
      verbs: kind.verbs,
      columns: kind.columns.map(({ name, type: of, format = '', description = '', priority = 0 }) => ({
        name,
        type: of,
        format,
        description,
        priority,
      })),
    },
  };
}

const methods = ({ verbs }: Kind, names: Readonly<Record<string, string>>): string[] =>
  Object.entries(names)
    .filter(([verb]) => (verbs as readonly string[]).includes(verb))
    .map(([, method]) => method);

const fieldsOf = ({ properties = {} }: Schema): object =>
  Object.fromEntries(
    Object.entries(properties).map(([name, { schema, required, description }]) => [
      name,
      { type: schema.type ?? 'json', required, ...(description && { description }) },
    ]),
  );
