import { forbidden } from '@vireo/api';
import type { ObjectGraphOptions } from '@vireo/api/kinds/kubevirt/objectGraph.ts';
import type { LookWorld } from '../instancetypes/expand.ts';
import { filterGraph } from './filter.ts';
import type { GraphNode, Lookup } from './graph.ts';
import { userLookup } from './lookup.ts';
import { manifestsOf } from './manifests.ts';
import { readGraphOptions } from './options.ts';
import { render } from './render.ts';

/** The answer to a question for a graph, from the traversal that makes it. Refuses options that there are not. */
export function graphAnswer(
  body: ObjectGraphOptions,
  query: URLSearchParams,
  traverse: (lookup: Lookup) => Promise<GraphNode>,
): (world: LookWorld) => Promise<object> {
  const options = readGraphOptions(body, query);
  return async ({ client, related, user }) => {
    const lookup = userLookup(client, related, user);
    const graph = filterGraph(await traverse(lookup), options);
    if (options.output === 'graph') return render(graph, options.format);
    const { kind, namespace, name } = graph;
    const found = await lookup.find(kind, namespace, name);
    if (found.status !== 'present') {
      const why = `User "${user.username}" may see what it depends on, but its manifest takes the right to get it`;
      throw forbidden({ group: kind.group, resource: kind.plural }, name, why);
    }
    return manifestsOf(graph, found.object, options.includesSecrets);
  };
}
