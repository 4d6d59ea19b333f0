import { type ApiResponse, objectResponse } from '@vireo/kube';
import { rightsOf } from '../../rights.ts';
import { type Exchange, toSteveObjects } from './exchange.ts';
import { type Row, readRows } from './objects.ts';
import { actionsOf, steveAccess } from './possible.ts';
import { select } from './select.ts';
import { stateOf } from './state.ts';
import type { SteveType } from './types.ts';

/** Parameters of Kubernetes by those that are passed on to it. */
const PASSED_ON: Readonly<Record<string, string>> = {
  limit: 'limit',
  continue: 'continue',
  labelSelector: 'labelSelector',
  fieldSelector: 'fieldSelector',
  // What there is, and at least as new as that.
  revision: 'resourceVersion',
};

function passedOn(query: URLSearchParams): Record<string, string> {
  const passed = Object.entries(PASSED_ON).map(([name, of]) => [of, query.get(name)] as const);
  // A limit below 0 is none.
  return Object.fromEntries(
    passed.flatMap(([of, value]) => (value === null || (of === 'limit' && Number(value) < 0) ? [] : [[of, value]])),
  );
}

/** Whether a namespace is among those that `projectsornamespaces=a,b` names, or not among those of `…!=a,b`. */
function chosenNamespaces(query: URLSearchParams): (namespace: string) => boolean {
  const named = (name: string) => query.get(name)?.split(',').filter(Boolean);
  const chosen = named('projectsornamespaces');
  const left = named('projectsornamespaces!');
  return (namespace) => (!chosen || chosen.includes(namespace)) && !left?.includes(namespace);
}

/** A row with the fields by which clients filter and sort: those of the object, and some that it is shown with. */
function selectable(row: Row) {
  const { metadata } = row.object;
  const id = metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
  return { ...row.object, id, metadata: { ...metadata, fields: row.cells, state: stateOf(row.object) }, row };
}

/** Namespaces whose logs and objects a support bundle has, asked for by `?link=supportbundle`. */
const SUPPORT_NAMESPACES = ['harvester-system', 'kube-system', 'kubevirt'];

/** The objects of a type that the request asks for, of all namespaces or of one. */
export async function collection(
  exchange: Exchange,
  type: SteveType,
  namespace: string | undefined,
): Promise<ApiResponse> {
  const { request, urls, user, context } = exchange;
  const { query } = request;
  const { rows: all, metadata } = await readRows(user, { type, namespace }, passedOn(query));
  const { kind } = type;
  const isForSupport = kind.plural === 'namespaces' && query.get('link') === 'supportbundle';
  const isChosen = chosenNamespaces(query);
  const rows = all.filter(
    ({ object: { metadata } }) =>
      (!isForSupport || SUPPORT_NAMESPACES.includes(metadata.name)) && isChosen(metadata.namespace ?? metadata.name),
  );
  const { items, count, pages } = select(rows.map(selectable), query);
  const mayCreate = await rightsOf(context.client, request.user).may({
    group: kind.group,
    verb: 'create',
    resource: kind.plural,
    ...(namespace !== undefined && { namespace }),
  });
  const self = urls.collection(type, namespace);
  return objectResponse({
    type: 'collection',
    links: { self },
    ...(mayCreate && { createTypes: { [type.id]: urls.collection(type) } }),
    actions: await collectionActions(exchange, type, namespace, self),
    resourceType: type.id,
    revision: metadata.resourceVersion ?? '',
    ...(metadata.continue && { continue: metadata.continue, pagination: nextPage(query, self, metadata.continue) }),
    ...(pages !== undefined && { pages }),
    ...(count > 0 && { count }),
    data: await toSteveObjects(
      exchange,
      type,
      items.map(({ row }) => row),
    ),
  });
}

/** What can be asked of the collection itself, by name. */
async function collectionActions(
  { actions, context, request }: Exchange,
  type: SteveType,
  namespace: string | undefined,
  self: string,
): Promise<Record<string, string>> {
  const { may } = rightsOf(context.client, request.user);
  const shown: Record<string, string> = {};
  for (const action of actionsOf(actions, type))
    if (action.isOfCollection && (await may(steveAccess(action, namespace, ''))))
      shown[action.name] = `${self}?action=${action.name}`;
  return shown;
}

/** Where the next objects of the same request are. */
function nextPage(query: URLSearchParams, self: string, token: string): object {
  const first = new URLSearchParams(query);
  first.delete('continue');
  const next = new URLSearchParams(first);
  next.set('continue', token);
  return { limit: Number(query.get('limit')), first: `${self}?${first}`, next: `${self}?${next}`, partial: true };
}
