import { Failure } from '../../../failure.ts';
import type { VmDraft } from './vmDraft.ts';

export interface InferOptions {
  /** Whether it is to be inferred; undefined when the user did not say. */
  readonly infer?: boolean;
  /** From which volume. */
  readonly from?: string;
}

export interface Matcher {
  readonly inferFromVolume: string;
  readonly inferFromVolumeFailurePolicy?: 'Ignore';
}

/**
 * The volume to infer an instancetype or a preference from. Nobody has to ask for it; what was not asked for is left out
 * where it is not possible, and must not stop the server later.
 */
export function inferred(draft: VmDraft, { infer, from }: InferOptions): Matcher | undefined {
  const isAskedFor = infer === true || from !== undefined;
  if (infer === false && from === undefined) return undefined;
  const problem = problemWith(draft, from);
  const name = from ?? bootVolume(draft);
  if (problem !== undefined || name === undefined) {
    if (isAskedFor)
      throw new Failure(problem ?? 'at least one volume is needed to infer an instance type or preference');
    return undefined;
  }
  return { inferFromVolume: name, ...(!isAskedFor && { inferFromVolumeFailurePolicy: 'Ignore' }) };
}

/** The one that boots first. */
function bootVolume({ volumes, bootOrders }: VmDraft): string | undefined {
  const [first] = [...bootOrders].sort(([a], [b]) => a - b);
  return first?.[1] ?? volumes[0]?.name;
}

function problemWith(draft: VmDraft, from: string | undefined): string | undefined {
  const name = from ?? bootVolume(draft);
  if (name === undefined) return 'at least one volume is needed to infer an instance type or preference';
  const volume = draft.volumes.find((each) => each.name === name);
  if (!volume) return `there is no volume with name '${name}'`;
  if (volume.persistentVolumeClaim) return undefined;
  if (!volume.dataVolume)
    return 'inference of instancetype or preference works only with DataSources, DataVolumes or PersistentVolumeClaims';
  const template = draft.dataVolumeTemplates.find(({ metadata }) => metadata.name === name);
  const source = (template?.spec.source ?? {}) as Readonly<Record<string, unknown>>;
  const isFit = !template || template.spec.sourceRef || source.pvc || source.registry || source.snapshot;
  return isFit
    ? undefined
    : 'this DataVolume is not valid to infer an instancetype or preference from (source needs to be PVC, Registry or Snapshot, sourceRef needs to be DataSource)';
}
