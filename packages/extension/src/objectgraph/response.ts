import { forbidden, PersistentVolumeClaim, type UnknownObject } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import { needsBackendStorage } from '@vireo/api/kinds/kubevirt/backendStorage.ts';
import type { ObjectGraphOptions } from '@vireo/api/kinds/kubevirt/objectGraph.ts';
import type { VirtualMachineInstanceSpec } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceSpec.ts';
import type { LookupContext } from '../instancetypes/expand.ts';
import { type Rights, rightsOf } from '../rights.ts';
import { filterGraph } from './filter.ts';
import type { GraphNode, Lookup } from './graph.ts';
import { userLookup } from './lookup.ts';
import { manifestsOf } from './manifests.ts';
import {
  incomplete,
  type MissingObject,
  missingInGraph,
  missingInManifests,
  missingTexts,
  truncations,
  unlistedStateClaim,
} from './missingObjects.ts';
import { type GraphOptions, readGraphOptions } from './options.ts';
import { render } from './render.ts';

/** The response to a question for a graph, from the traversal that makes it. Refuses options that there are not. */
export function graphResponse(
  body: ObjectGraphOptions,
  query: URLSearchParams,
  traverse: (lookup: Lookup) => Promise<GraphNode>,
): (context: LookupContext) => Promise<object> {
  const options = readGraphOptions(body, query);
  return async (context) => {
    const { client, related, user } = context;
    const rights = rightsOf(client, user);
    const lookup = userLookup(client, related, rights);
    const graph = filterGraph(await traverse(lookup), options);
    if (options.output === 'manifests') return manifests(graph, options, lookup, rights, context);
    if (options.isStrict) refuseIncomplete(graph, missingInGraph(graph), 'the graph', context);
    for (const text of missingTexts(truncations(graph), 'the graph', user.username)) context.warn(text);
    return render(graph, options.format);
  };
}

async function manifests(
  graph: GraphNode,
  { isStrict, includesSecrets }: GraphOptions,
  lookup: Lookup,
  rights: Rights,
  context: LookupContext,
): Promise<object> {
  const { kind, namespace, name } = graph;
  const { username } = context.user;
  const found = await lookup.find(kind, namespace, name);
  if (found.status !== 'present') {
    const why = `User "${username}" can see its dependencies, but its manifest requires permission to get it`;
    throw forbidden({ group: kind.group, resource: kind.plural }, name, why);
  }
  const missing = [
    ...missingInManifests(graph, found.object, includesSecrets),
    ...(needsBackendStorage(vmiSpec(found.object)) && !(await rights.mayList(PersistentVolumeClaim, namespace))
      ? [unlistedStateClaim(namespace)]
      : []),
  ];
  if (isStrict) refuseIncomplete(graph, missing, MANIFESTS, context);
  for (const text of missingTexts(missing, MANIFESTS, username)) context.warn(text);
  return manifestsOf(graph, found.object, includesSecrets);
}

const MANIFESTS = 'the list of manifests';

function refuseIncomplete(
  graph: GraphNode,
  missing: readonly MissingObject[],
  what: string,
  { user }: LookupContext,
): void {
  if (missing.length > 0) throw incomplete(graph, missing, what, user.username);
}

/** The spec that VMIs have or get. */
function vmiSpec({ spec }: UnknownObject): VirtualMachineInstanceSpec | undefined {
  const template = isObject(spec) && isObject(spec.template) ? spec.template.spec : spec;
  return isObject(template) ? (template as unknown as VirtualMachineInstanceSpec) : undefined;
}
