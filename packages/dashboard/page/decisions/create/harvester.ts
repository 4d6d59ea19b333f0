import { isMapping, type Mapping, valueAt } from '../yaml/values.ts';
import { textAt, withAt } from './objects.ts';

/** A first disk from an image of Harvester. */
export interface HarvesterSource {
  readonly kind: 'harvester';
  /** `namespace/name` of the VirtualMachineImage. */
  readonly image: string;
  readonly size: string;
  readonly storageClass: string;
}

/** Harvester makes the claims that this annotation of a VM lists. */
const CLAIM_TEMPLATES = 'harvesterhci.io/volumeClaimTemplates';
const IMAGE_ID = 'harvesterhci.io/imageId';

/** The claims that Harvester makes for the VM. */
export function claimTemplates(vm: Mapping): readonly Mapping[] {
  try {
    const list: unknown = JSON.parse(textAt(vm, ['metadata', 'annotations', CLAIM_TEMPLATES]) || '[]');
    return Array.isArray(list) ? list.filter(isMapping) : [];
  } catch {
    return [];
  }
}

/** The image that a claim of the VM is made from; undefined if it is none of these claims. */
export function harvesterSource(vm: Mapping, claim: string): HarvesterSource | undefined {
  const template = claimTemplates(vm).find((each) => textAt(each, ['metadata', 'name']) === claim);
  const image = template && textAt(template, ['metadata', 'annotations', IMAGE_ID]);
  if (!template || !image) return undefined;
  const size = textAt(template, ['spec', 'resources', 'requests', 'storage']);
  return { kind: 'harvester', image, size, storageClass: textAt(template, ['spec', 'storageClassName']) };
}

export function withoutClaimTemplate(vm: Mapping, claim: string): Mapping {
  return withClaimTemplates(
    vm,
    claimTemplates(vm).filter((each) => textAt(each, ['metadata', 'name']) !== claim),
  );
}

/** An empty list says nothing, and is left out. */
export function withClaimTemplates(vm: Mapping, list: readonly Mapping[]): Mapping {
  const annotations = ['metadata', 'annotations'];
  if (list.length === 0 && textAt(vm, [...annotations, CLAIM_TEMPLATES]) === '') return vm;
  if (list.length > 0) return withAt(vm, [...annotations, CLAIM_TEMPLATES], JSON.stringify(list));
  const next = withAt(vm, [...annotations, CLAIM_TEMPLATES], undefined);
  const left = valueAt(next, annotations);
  return isMapping(left) && Object.keys(left).length === 0 ? withAt(next, annotations, undefined) : next;
}

export function withClaimTemplate(vm: Mapping, name: string, source: HarvesterSource): Mapping {
  const { image, size, storageClass } = source;
  const spec = {
    accessModes: ['ReadWriteMany'],
    volumeMode: 'Block',
    resources: { requests: { storage: size } },
    ...(storageClass && { storageClassName: storageClass }),
  };
  return withClaimTemplates(vm, [
    ...claimTemplates(vm),
    { metadata: { name, annotations: { [IMAGE_ID]: image } }, spec },
  ]);
}
