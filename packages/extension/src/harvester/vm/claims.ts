import type { PersistentVolumeClaim } from '@vireo/api';
import { VOLUME_CLAIM_TEMPLATES } from '@vireo/api/kinds/harvester/names.ts';
import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';

/** The volumes of a machine that are claims, by name. */
export const claimVolumes = ({ spec }: VirtualMachine): { name: string; claimName: string }[] =>
  (spec.template.spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim }) =>
    persistentVolumeClaim ? [{ name, claimName: persistentVolumeClaim.claimName }] : [],
  );

interface Template {
  readonly metadata?: { readonly name?: string };
}

/** The annotation with a claim more; undefined where the machine has none, or one that nobody can read. */
export function withTemplate({ metadata }: VirtualMachine, claim: PersistentVolumeClaim): string | undefined {
  const templates = templatesOf(metadata.annotations?.[VOLUME_CLAIM_TEMPLATES]);
  const { name } = claim.metadata;
  if (!templates || templates.some((each) => each.metadata?.name === name)) return undefined;
  return JSON.stringify([...templates, { metadata: { name }, spec: claim.spec }]);
}

/** The annotation without a claim; undefined where it does not change. */
export function withoutTemplate({ metadata }: VirtualMachine, claimName: string): string | undefined {
  const templates = templatesOf(metadata.annotations?.[VOLUME_CLAIM_TEMPLATES]);
  const kept = templates?.filter((each) => each.metadata?.name !== claimName);
  return kept && kept.length !== templates?.length ? JSON.stringify(kept) : undefined;
}

function templatesOf(text: string | undefined): Template[] | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? (value as Template[]) : undefined;
  } catch {
    return undefined;
  }
}
