import type { ObjectMeta, PersistentVolumeClaim } from '@vireo/api';
import { VOLUME_CLAIM_TEMPLATES } from '@vireo/api/kinds/harvester/names.ts';
import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';

/** The volumes of a VM that name a PersistentVolumeClaim. */
export const pvcVolumes = ({ spec }: VirtualMachine): { name: string; claimName: string }[] =>
  (spec.template.spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim }) =>
    persistentVolumeClaim ? [{ name, claimName: persistentVolumeClaim.claimName }] : [],
  );

/** A claim that goes with a VM, as its annotation lists it; a controller makes those that are not there. */
export interface ClaimTemplate {
  readonly metadata?: ObjectMeta;
  readonly spec?: PersistentVolumeClaim['spec'];
  /** The claim that the disk is moving to. */
  readonly targetVolume?: string;
}

/** The annotation with a claim more; undefined where it does not change: the VM has it, or no annotation. */
export function withTemplate(vm: VirtualMachine, claim: ClaimTemplate): string | undefined {
  const templates = templatesOf(vm);
  const { name } = claim.metadata ?? {};
  if (!templates || templates.some((each) => each.metadata?.name === name)) return undefined;
  return JSON.stringify([...templates, claim]);
}

/** The annotation without a claim; undefined where it does not change. */
export function withoutTemplate(vm: VirtualMachine, claimName: string): string | undefined {
  const templates = templatesOf(vm);
  const kept = templates?.filter((each) => each.metadata?.name !== claimName);
  return kept && kept.length !== templates?.length ? JSON.stringify(kept) : undefined;
}

/** The annotation with the claim that a listed one moves to; undefined where it does not change. */
export const withTarget = (vm: VirtualMachine, claimName: string, target: string): string | undefined =>
  withTargets(vm, ({ metadata, targetVolume }) => (metadata?.name === claimName ? target : targetVolume));

/** The annotation with other claims that the listed ones move to; undefined where it does not change. */
export function withTargets(
  vm: VirtualMachine,
  targetOf: (template: ClaimTemplate) => string | undefined,
): string | undefined {
  const templates = templatesOf(vm);
  if (!templates?.some((each) => each.targetVolume !== targetOf(each))) return undefined;
  return JSON.stringify(templates.map((each) => ({ ...each, targetVolume: targetOf(each) })));
}

/** The claims that a VM lists; undefined where it has no annotation, or one that nobody can read. */
export function templatesOf({ metadata }: VirtualMachine): ClaimTemplate[] | undefined {
  const text = metadata.annotations?.[VOLUME_CLAIM_TEMPLATES];
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? (value as ClaimTemplate[]) : undefined;
  } catch {
    return undefined;
  }
}
