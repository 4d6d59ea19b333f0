import type { GraphNode } from '../data/kinds.ts';

/** What a VM needs an object for. */
export type DependencyType = 'compute' | 'storage' | 'config' | 'network';
/** Forbidden is not missing: who may not look does not know. */
export type ObjectStatus = 'present' | 'missing' | 'forbidden';

/** An object of the graph; or, where kinds are folded, several of a kind. */
export interface GraphObject {
  readonly key: string;
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  /** Empty for objects of the cluster. */
  readonly namespace: string;
  readonly type: DependencyType;
  readonly status: ObjectStatus;
  /** Only where nothing needs it for certain. */
  readonly isOptional: boolean;
  /** It needs more than the server shows. */
  readonly isTruncated: boolean;
  /** How many objects it stands for; 1 unless folded. */
  readonly count: number;
}

/** One object names another. */
export interface GraphLink {
  readonly from: string;
  readonly to: string;
  readonly fieldPaths: readonly string[];
  readonly isOptional: boolean;
}

/** The graph with each object once, the machine first. */
export interface GraphModel {
  readonly root: string;
  readonly objects: ReadonlyMap<string, GraphObject>;
  readonly links: readonly GraphLink[];
}

/** The server's tree, in which an object stands as often as it is named, as a graph. */
export function modelOf(root: GraphNode): GraphModel {
  const objects = new Map<string, GraphObject>();
  const links = new Map<string, GraphLink>();
  const visit = (node: GraphNode, from: string | undefined): void => {
    const object = objectOf(node);
    const { key } = object;
    objects.set(key, merged(objects.get(key), object));
    if (from !== undefined && from !== key) addLink(links, from, key, node);
    for (const child of node.children ?? []) visit(child, key);
  };
  visit(root, undefined);
  return { root: objectOf(root).key, objects, links: [...links.values()] };
}

function objectOf({
  objectReference,
  labels = {},
  status,
  optional = false,
  truncated = false,
}: GraphNode): GraphObject {
  const { apiGroup: group = '', kind, name, namespace = '' } = objectReference;
  return {
    key: [group, kind, namespace, name].join('/'),
    group,
    kind,
    name,
    namespace,
    type: typeOf(labels['kubevirt.io/dependency-type']),
    // A status that is not known counts as present: the server names the object.
    status: status === 'missing' || status === 'forbidden' ? status : 'present',
    isOptional: optional,
    isTruncated: truncated,
    count: 1,
  };
}

const typeOf = (label: string | undefined): DependencyType =>
  label === 'storage' || label === 'config' || label === 'network' ? label : 'compute';

const merged = (first: GraphObject | undefined, again: GraphObject): GraphObject =>
  first
    ? {
        ...first,
        isOptional: first.isOptional && again.isOptional,
        isTruncated: first.isTruncated && again.isTruncated,
      }
    : again;

function addLink(links: Map<string, GraphLink>, from: string, to: string, node: GraphNode): void {
  const before = links.get(`${from}\n${to}`);
  const paths = [...(before?.fieldPaths ?? []), ...(node.fieldPath ? [node.fieldPath] : [])];
  links.set(`${from}\n${to}`, {
    from,
    to,
    fieldPaths: [...new Set(paths)],
    isOptional: (before?.isOptional ?? true) && (node.optional ?? false),
  });
}

/** Whether something is wrong with an object, or not known. An optional one may be missing. */
export const isProblem = ({ status, isOptional, isTruncated }: GraphObject): boolean =>
  status === 'forbidden' || (status === 'missing' && !isOptional) || isTruncated;

/** The object and everything above it: each way from the machine to it. */
export function pathTo({ links }: GraphModel, key: string): ReadonlySet<string> {
  const path = new Set([key]);
  const waiting = [key];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const { from, to } of links) {
      if (to !== next || path.has(from)) continue;
      path.add(from);
      waiting.push(from);
    }
  }
  return path;
}

/** Only what is wrong, and the ways there. */
export function onlyProblems(model: GraphModel): GraphModel {
  const problems = [...model.objects.values()].filter(isProblem);
  const kept = new Set([model.root, ...problems.flatMap(({ key }) => [...pathTo(model, key)])]);
  return {
    ...model,
    objects: new Map([...model.objects].filter(([key]) => kept.has(key))),
    links: model.links.filter(({ from, to }) => kept.has(from) && kept.has(to)),
  };
}
