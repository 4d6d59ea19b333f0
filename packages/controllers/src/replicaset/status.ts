import { type Condition, restated, type Statement } from '../conditions.ts';
import type { ReplicaSet, ReplicaSetStatus } from './set.ts';
import { parse } from './set.ts';
import type { Census } from './standing.ts';

/** What a set's status follows from, beside the set itself. */
export interface Circumstances {
  readonly census: Pick<Census, 'readyCount'> & { readonly active: { readonly length: number } };
  /** What failed; `unchanged` where nothing was tried. */
  readonly failure: Statement | 'unchanged' | undefined;
  /** Names of sets that select the same instances. */
  readonly overlaps: readonly string[];
  readonly now: Date;
}

/** The status that a set should have. */
export function replicaSetStatus(set: ReplicaSet, circumstances: Circumstances): ReplicaSetStatus {
  const { census } = circumstances;
  const { conditions: _, ...before } = set.status ?? {};
  const said = conditions(set, circumstances);
  const parsed = parse(set);
  return {
    ...before,
    replicas: census.active.length,
    readyReplicas: census.readyCount,
    ...('selector' in parsed && { labelSelector: parsed.selector.toString() }),
    ...(said.length > 0 && { conditions: said }),
  };
}

/** Conditions are there while they hold, and gone otherwise, as KubeVirt has them. */
function conditions({ spec, status }: ReplicaSet, { failure, overlaps, now }: Circumstances): Condition[] {
  const said = [spec.paused ? PAUSED : undefined, overlap(overlaps)].filter((each) => each !== undefined);
  const kept = failure === 'unchanged' ? [] : ['ReplicaFailure'];
  const statements = failure === 'unchanged' || !failure ? said : [...said, failure];
  const removed = ['ReplicaPaused', 'SelectorOverlap', ...kept].filter(
    (type) => !statements.some((statement) => statement.type === type),
  );
  return restated(status?.conditions, statements, removed, now);
}

const PAUSED: Statement = {
  type: 'ReplicaPaused',
  status: 'True',
  reason: 'Paused',
  message: 'Controller got paused',
};

/** How many other sets are named. */
const MOST_NAMED = 5;

function overlap(others: readonly string[]): Statement | undefined {
  if (others.length === 0) return undefined;
  const named = others.slice(0, MOST_NAMED).join(', ');
  const more = others.length > MOST_NAMED ? ` and ${others.length - MOST_NAMED} more` : '';
  return {
    type: 'SelectorOverlap',
    status: 'True',
    reason: 'SelectorOverlap',
    message: `spec.selector overlaps with that of ${named}${more}: each keeps its own instances, those of nobody go to the oldest set; give the sets labels of their own`,
  };
}

/** What went wrong as a condition. */
export const failureOf = (reason: 'FailedCreate' | 'FailedDelete', message: string): Statement => ({
  type: 'ReplicaFailure',
  status: 'True',
  reason,
  message,
});
