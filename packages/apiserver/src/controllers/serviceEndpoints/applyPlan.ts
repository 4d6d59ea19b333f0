import { EndpointSlice, type Persisted } from '@vireo/api';
import { type Client, type Expectations, ignoreNotFound, isNamespaceTerminating } from '@vireo/kube';
import { TRIGGER_TIME } from './names.ts';
import type { SlicePlan } from './slicePlan.ts';

export interface PlanParts {
  readonly client: Client;
  readonly expectations: Expectations;
  /** Of the owner, in the queue. */
  readonly key: string;
  readonly triggerTime?: string | undefined;
}

/** Writes the slices of one owner. What was made or deleted counts only when the informer shows it. */
export async function applyPlan(plan: SlicePlan, parts: PlanParts): Promise<void> {
  const { client, expectations, key } = parts;
  const slices = client.of(EndpointSlice);
  const create = async (slice: EndpointSlice): Promise<void> => {
    try {
      await slices.create(stamped(slice, parts));
    } catch (error) {
      expectations.creationObserved(key);
      // Nothing more can be made there, and what is there goes with it.
      if (!isNamespaceTerminating(error)) throw error;
    }
  };
  const remove = async (slice: Persisted<EndpointSlice>): Promise<void> => {
    try {
      await slices.deleteExactly(slice);
    } catch (error) {
      expectations.deletionObserved(key, slice.metadata.uid);
      ignoreNotFound(error);
    }
  };
  expectations.expectCreations(key, plan.create.length);
  expectations.expectDeletions(
    key,
    plan.delete.map(({ metadata }) => metadata.uid),
  );
  await Promise.all([
    ...plan.create.map(create),
    ...plan.update.map((slice) => slices.update(stamped(slice, parts))),
    ...plan.delete.map(remove),
  ]);
}

function stamped<T extends EndpointSlice>(slice: T, { triggerTime }: PlanParts): T {
  const annotations = { ...slice.metadata.annotations, ...(triggerTime && { [TRIGGER_TIME]: triggerTime }) };
  return { ...slice, metadata: { ...slice.metadata, annotations } };
}
