import type { Node } from '@vireo/api';
import { type SharedReport, sharedReports } from '@vireo/api/kinds/core/sharedDirectories.ts';

/** Where the directory of a class can be used. */
export interface SharedState {
  /** What it is known by; undefined until a node has reported. */
  readonly id: string | undefined;
  /** The nodes that have it, by name. */
  readonly verified: readonly string[];
  /** Why other nodes do not. */
  readonly problems: readonly { readonly node: string; readonly why: string }[];
}

interface Candidate {
  readonly node: string;
  readonly report: Extract<SharedReport, { id: string }>;
}

/**
 * Which nodes have the same directory: those that read there what one of them wrote, and the other way round. `knownId` is
 * what the class has used so far, and only a directory of that id can be it.
 */
export function sharedState(
  { name, path }: { readonly name: string; readonly path: string },
  knownId: string | undefined,
  nodes: readonly Node[],
): SharedState {
  const problems: { node: string; why: string }[] = [];
  const candidates: Candidate[] = [];
  for (const { metadata, ...node } of [...nodes].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))) {
    const report = sharedReports({ metadata, ...node })[name];
    const of = metadata.name ?? '';
    if (!report || report.path !== path) problems.push({ node: of, why: 'it has not reported yet' });
    else if ('problem' in report) problems.push({ node: of, why: report.problem });
    else candidates.push({ node: of, report });
  }
  const ofKnown = knownId === undefined ? candidates : candidates.filter(({ report }) => report.id === knownId);
  const peers = (one: Candidate): Candidate[] => ofKnown.filter((other) => !mismatch(one, other));
  // The one that agrees with most others stands for all of them; the first by name where several do.
  const [anchor] = [...ofKnown].sort((a, b) => peers(b).length - peers(a).length);
  for (const candidate of candidates) {
    const why = anchor
      ? mismatch(anchor, candidate, path)
      : `${path} is another directory than it was on any node before`;
    if (why) problems.push({ node: candidate.node, why });
  }
  return {
    id: knownId ?? anchor?.report.id,
    verified: anchor ? peers(anchor).map(({ node }) => node) : [],
    problems,
  };
}

/** Why two nodes do not have the same directory; undefined where they do. */
function mismatch(one: Candidate, other: Candidate, path = ''): string | undefined {
  if (one.node === other.node) return undefined;
  if (one.report.id !== other.report.id)
    return `${path} is another directory there than on node ${one.node}: is it mounted?`;
  if (other.report.sees[one.node] !== one.report.token)
    return `what node ${one.node} writes to ${path} cannot be read there`;
  if (one.report.sees[other.node] !== other.report.token)
    return `what it writes to ${path} cannot be read on node ${one.node}`;
  if (other.report.unlocked.includes(one.node) || one.report.unlocked.includes(other.node))
    return (
      `file locks in ${path} do not reach from it to node ${one.node} and back, so two guests could write to one disk: ` +
      'mount it with locks that the server keeps (NFS: without nolock and local_lock)'
    );
  return undefined;
}

const nameOf = ({ metadata }: Node): string => metadata.name ?? '';

/** The state in words, for the class: `ready on a, b` or what is in the way. */
export function statusText({ verified, problems }: SharedState): string {
  const where = verified.length > 0 ? `ready on ${verified.join(', ')}` : 'not ready on any node';
  const others = problems.map(({ node, why }) => `node ${node}: ${why}`);
  return [where, ...others].join('; ');
}
