import type { Node } from '@vireo/api';
import type { Informer } from '@vireo/kube';

/** The resources that some node can give away. Every launcher asks for them, so they are gathered once for a change. */
export function allocatableResources(nodes: Pick<Informer<Node>, 'list' | 'on'>): () => ReadonlySet<string> {
  let known: ReadonlySet<string> | undefined;
  const forget = (): void => {
    known = undefined;
  };
  nodes.on({ added: forget, updated: forget, deleted: forget });
  return () => {
    known ??= new Set(nodes.list().flatMap(allocatableIn));
    return known;
  };
}

const allocatableIn = ({ status }: Node): string[] =>
  Object.entries(status?.allocatable ?? {}).flatMap(([name, amount]) => (String(amount) === '0' ? [] : [name]));
