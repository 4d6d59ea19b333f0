import { isDeleting, type Node, type PersistentVolumeClaim, type StorageClass } from '@vireo/api';
import { BIND_IMMEDIATE } from '@vireo/api/kinds/cdi/names.ts';
import { SELECTED_NODE } from '@vireo/api/kinds/core/volumeNames.ts';
import { toBytes } from '@vireo/api/quantity.ts';
import { type Consumer, drawbacks, isAllowed, isReady } from './nodes.ts';

/** What decides where the volume of a claim is made. */
export interface PlacementState {
  readonly claim: PersistentVolumeClaim;
  readonly storageClass: StorageClass;
  /** Whether there is a volume for the claim, bound or not. */
  readonly hasVolume: boolean;
  /** The nodes that can make volumes of the class, ready or not. */
  readonly nodes: readonly Node[];
  /** Where the data is that the claim is to have: on a node, or nowhere yet. Undefined: any node will do. */
  readonly origin: { readonly node: string } | { readonly problem: string } | undefined;
  readonly consumers: readonly Consumer[];
  /** How much of a node's disk is promised to claims. */
  readonly promisedBytes: (node: Node) => number;
  readonly freeBytes: (node: Node) => number;
}

/** What is to be done about a claim that has no volume. */
export type Placement =
  | { readonly action: 'none' }
  | { readonly action: 'select'; readonly node: string }
  /** The node that the scheduler chose is gone or unreachable, and has made nothing: it is to choose again. */
  | { readonly action: 'clear'; readonly message: string }
  | { readonly action: 'wait'; readonly message: string };

const NONE: Placement = { action: 'none' };
const wait = (message: string): Placement => ({ action: 'wait', message });

/** Decides on the node that makes the volume of a claim, so that exactly one does. */
export function decidePlacement(state: PlacementState): Placement {
  const { claim, storageClass, hasVolume, nodes } = state;
  const { annotations = {} } = claim.metadata;
  if (isDeleting(claim) || claim.spec?.volumeName || hasVolume) return NONE;
  const selected = annotations[SELECTED_NODE];
  const isSchedulers =
    storageClass.volumeBindingMode === 'WaitForFirstConsumer' && annotations[BIND_IMMEDIATE] === undefined;
  const current = nodes.find(({ metadata }) => metadata.name === selected);
  const isLost = selected !== undefined && !(current && isReady(current));
  if (isSchedulers) return isLost ? { action: 'clear', message: lostMessage(selected, current) } : NONE;
  // Data that turned up on another node since is followed: nothing has been made yet.
  const isRight = !state.origin || ('node' in state.origin && state.origin.node === selected);
  if (current && !isLost && isRight) return NONE;
  // A server without nodes of ours is no problem of the claim.
  return nodes.length > 0 ? choose(state, selected) : NONE;
}

function lostMessage(selected: string, node: Node | undefined): string {
  const why = node ? 'is not ready' : 'does not exist or cannot make volumes of this class';
  return `node ${selected}, which was to make the volume, ${why}: another node will be chosen`;
}

function choose(state: PlacementState, selected: string | undefined): Placement {
  const { origin, consumers, nodes } = state;
  const select = (node: string): Placement => (node === selected ? NONE : { action: 'select', node });
  const ready = nodes.filter(isReady);
  if (origin && 'node' in origin) return placeAtOrigin(origin.node, state, select);
  // With one node there is no choice, and what is missing it says itself.
  if (origin && nodes.length > 1) return wait(origin.problem);
  if (ready.length === 0) return wait(`no node that can make the volume is ready: ${namesOf(nodes)}`);
  const tied = [...new Set(consumers.flatMap((each) => each.nodes))];
  const among = tied.length > 0 ? ready.filter(({ metadata }) => tied.includes(metadata.name ?? '')) : ready;
  if (among.length === 0)
    return wait(`${whatOf(consumers)} can only run on ${tied.join(' or ')}, which cannot make the volume now`);
  const left = consumers.flatMap(({ leaves }) => leaves ?? []);
  const others = among.filter(({ metadata }) => !left.includes(metadata.name ?? ''));
  if (others.length === 0)
    return wait(`${whatOf(consumers)} moves to the volume from ${left.join(' and ')}, and no other node can make it`);
  const allowed = others.filter((node) => isAllowed(node, consumers));
  const [best] = ranked(allowed, state);
  return best
    ? select(best.metadata.name ?? '')
    : wait(`${whatOf(consumers)} can run on none of the nodes that can make the volume: ${namesOf(among)}`);
}

/** A copy is made where the original is. */
function placeAtOrigin(
  name: string,
  { nodes, consumers }: PlacementState,
  select: (node: string) => Placement,
): Placement {
  const node = nodes.find(({ metadata }) => metadata.name === name);
  if (!node || !isReady(node))
    return wait(`the data to copy is on node ${name}, which ${node ? 'is not ready' : 'does not exist'}`);
  const other = consumers.find((each) => each.nodes.length > 0 && !each.nodes.includes(name));
  if (other)
    return wait(
      `the data to copy is on node ${name}, but ${other.what} has its other disks on ${other.nodes.join(' and ')}: ` +
        'copy them to one node, or use a class of a shared directory',
    );
  return select(name);
}

/** The best node first: what speaks least against it, then the one with most that is neither used nor promised. */
function ranked(nodes: readonly Node[], state: PlacementState): Node[] {
  const { claim, consumers, promisedBytes, freeBytes } = state;
  if (nodes.length < 2) return [...nodes];
  const sizeBytes = Number(toBytes(claim.spec?.resources?.requests?.storage ?? '0'));
  return nodes
    .map((node) => ({
      node,
      against: drawbacks(node, sizeBytes, consumers),
      leftBytes: freeBytes(node) - promisedBytes(node),
    }))
    .sort((a, b) => firstDifference(a.against, b.against) || b.leftBytes - a.leftBytes || byName(a.node, b.node))
    .map(({ node }) => node);
}

function firstDifference(a: readonly boolean[], b: readonly boolean[]): number {
  const index = a.findIndex((each, at) => each !== b[at]);
  return index < 0 ? 0 : a[index] ? 1 : -1;
}

const byName = (a: Node, b: Node): number => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1);
const namesOf = (nodes: readonly Node[]): string => nodes.map(({ metadata }) => metadata.name).join(', ');
const whatOf = (consumers: readonly Consumer[]): string => consumers.map(({ what }) => what).join(' and ');
