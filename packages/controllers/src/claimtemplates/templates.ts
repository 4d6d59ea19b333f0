import type { ObjectMeta, PersistentVolumeClaim, StorageClass } from '@vireo/api';
import { isDefaultStorageClass } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import { LOCAL_PROVISIONER } from '@vireo/api/kinds/core/volumeNames.ts';
import { VOLUME_CLAIM_TEMPLATES } from '@vireo/api/kinds/harvester/names.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Draft } from '@vireo/kube';

/** What an annotation asks for cannot be read. */
export class BadTemplates extends Error {
  override readonly name = 'BadTemplates';
}

/** The claims that a VM's annotation lists, as Harvester's clients write them. */
export function claimTemplates({ metadata }: Vm, classes: readonly StorageClass[]): Draft<PersistentVolumeClaim>[] {
  const text = metadata.annotations?.[VOLUME_CLAIM_TEMPLATES];
  if (!text) return [];
  const listed = parseJson(text);
  if (!Array.isArray(listed)) throw new BadTemplates(`${VOLUME_CLAIM_TEMPLATES} is not a JSON list of claims`);
  return listed.map((template, index) => draftOf(template, index, metadata.namespace, classes));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new BadTemplates(`${VOLUME_CLAIM_TEMPLATES} is not valid JSON: ${(error as Error).message}`);
  }
}

function draftOf(
  template: unknown,
  index: number,
  namespace: string | undefined,
  classes: readonly StorageClass[],
): Draft<PersistentVolumeClaim> {
  const given = isObject(template) && isObject(template.metadata) ? (template.metadata as ObjectMeta) : {};
  if (!isObject(template) || typeof given.name !== 'string' || !isObject(template.spec))
    throw new BadTemplates(`${VOLUME_CLAIM_TEMPLATES}[${index}] lacks metadata.name or spec`);
  const { name, labels, annotations } = given;
  const spec = template.spec as NonNullable<PersistentVolumeClaim['spec']>;
  return {
    // Who owns it and the like is not for a template to say.
    metadata: { name, namespace, ...(labels && { labels }), ...(annotations && { annotations }) },
    spec: { ...spec, accessModes: accessModes(spec, classes) },
  };
}

/** Harvester's clients ask for ReadWriteMany whatever they need; on a disk of the node that is to have one writer. */
function accessModes(
  { accessModes: wanted = ['ReadWriteOnce'], storageClassName }: NonNullable<PersistentVolumeClaim['spec']>,
  classes: readonly StorageClass[],
): string[] {
  const storageClass = classes.find(
    (each) => each.metadata.name === storageClassName || (!storageClassName && isDefaultStorageClass(each)),
  );
  if (storageClass?.provisioner !== LOCAL_PROVISIONER) return wanted;
  return [...new Set(wanted.map((mode) => (mode === 'ReadWriteMany' ? 'ReadWriteOnce' : mode)))];
}
