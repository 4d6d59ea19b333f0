import { type ConditionDraft, isDeleting, type Persisted } from '@vireo/api';
import { IMAGE_ID, VOLUME_CLAIM_TEMPLATES } from '@vireo/api/kinds/harvester/names.ts';
import { isImported, type VirtualMachineImage } from '@vireo/api/kinds/harvester/virtualMachineImage.ts';
import type { HarvesterTemplate, HarvesterTemplateStatus } from '@vireo/api/kinds/harvester/virtualMachineTemplate.ts';
import type {
  TemplateVersionStatus,
  VirtualMachineTemplateVersion,
} from '@vireo/api/kinds/harvester/virtualMachineTemplateVersion.ts';
import { harvesterConditions } from '../harvester/conditions.ts';

type Version = Persisted<VirtualMachineTemplateVersion>;

const idOf = ({ metadata }: Persisted): string => `${metadata.namespace}/${metadata.name}`;

/** The versions that have no number yet, the oldest first, each with the one that it gets. No number is given twice. */
export function newNumbers(template: HarvesterTemplate, versions: readonly Version[]): Map<Version, number> {
  const latest = latestVersion(template, versions);
  const waiting = versions.filter((each) => each.status?.version === undefined && !isDeleting(each));
  return new Map(waiting.toSorted(byAge).map((version, index) => [version, latest + index + 1]));
}

function latestVersion({ status }: HarvesterTemplate, versions: readonly Version[]): number {
  return Math.max(status?.latestVersion ?? 0, ...versions.map((each) => each.status?.version ?? 0));
}

const byAge = (a: Version, b: Version): number =>
  a.metadata.creationTimestamp.localeCompare(b.metadata.creationTimestamp) || (idOf(a) < idOf(b) ? -1 : 1);

/** The default version that a template should have, where its user has chosen none. Undefined: leave it as it is. */
export function newDefault({ spec }: HarvesterTemplate, versions: readonly Version[]): string | undefined {
  if (spec?.defaultVersionId) return undefined;
  const numbered = versions.filter((each) => each.status?.version !== undefined && !isDeleting(each));
  const [first] = numbered.toSorted((a, b) => (a.status?.version ?? 0) - (b.status?.version ?? 0));
  return first && idOf(first);
}

/** The status that a template should have. */
export function templateStatus(template: HarvesterTemplate, versions: readonly Version[]): HarvesterTemplateStatus {
  const latest = latestVersion(template, versions);
  const chosen = versions.find((each) => idOf(each) === template.spec?.defaultVersionId)?.status?.version;
  return { ...(chosen && { defaultVersion: chosen }), ...(latest > 0 && { latestVersion: latest }) };
}

/** The images that the disks of VMs of a version begin with, as `namespace/name`. Unreadable: what is wrong with the list. */
export function imagesOf({ spec }: VirtualMachineTemplateVersion): { ids: string[]; problem?: string } {
  const text = spec.vm?.metadata?.annotations?.[VOLUME_CLAIM_TEMPLATES];
  if (!text) return { ids: [] };
  try {
    const claims: unknown = JSON.parse(text);
    if (!Array.isArray(claims)) return { ids: [], problem: `${VOLUME_CLAIM_TEMPLATES} is not a JSON list of claims` };
    const ids = claims.flatMap((claim) => claim?.metadata?.annotations?.[IMAGE_ID] ?? []);
    return { ids: ids.filter((id) => typeof id === 'string' && id !== '') };
  } catch (error) {
    return { ids: [], problem: `${VOLUME_CLAIM_TEMPLATES} is not valid JSON: ${(error as Error).message}` };
  }
}

/** The status that a version should have. `imageOf`: the image of that id, if there is one. */
export function versionStatus(
  version: VirtualMachineTemplateVersion,
  number: number,
  imageOf: (id: string) => VirtualMachineImage | undefined,
  now: Date,
): TemplateVersionStatus {
  const conditions: ConditionDraft[] = [{ type: 'assigned', status: 'True' }, readyCondition(version, imageOf)];
  return { version: number, conditions: harvesterConditions(version.status?.conditions, conditions, now) };
}

function readyCondition(
  version: VirtualMachineTemplateVersion,
  imageOf: (id: string) => VirtualMachineImage | undefined,
): ConditionDraft {
  const { ids, problem } = imagesOf(version);
  const notReady = (reason: string, message: string): ConditionDraft => ({
    type: 'ready',
    status: 'False',
    reason,
    message,
  });
  if (problem) return notReady('InvalidClaimTemplates', problem);
  const absent = ids.filter((id) => !imageOf(id));
  if (absent.length > 0) return notReady('ImageNotFound', `VirtualMachineImage ${absent.join(', ')} does not exist`);
  const waiting = ids.filter((id) => !isImported(imageOf(id)!));
  if (waiting.length > 0)
    return notReady('ImageNotImported', `VirtualMachineImage ${waiting.join(', ')} is not imported yet`);
  return { type: 'ready', status: 'True' };
}
