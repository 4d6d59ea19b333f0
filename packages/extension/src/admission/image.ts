import { conflict, type FieldError, fieldError, StorageClass } from '@vireo/api';
import { IMAGE_DISPLAY_NAME } from '@vireo/api/kinds/harvester/names.ts';
import { isImported, VirtualMachineImage } from '@vireo/api/kinds/harvester/virtualMachineImage.ts';
import { isComponent } from '../identity.ts';
import { sourceErrors } from './dataVolume.ts';
import type { AdmissionContext, MutatingRule, ValidatingRule } from './rule.ts';

/** Images are found by the name that users give them: it is a label, too. */
export const imageDefaults: MutatingRule<VirtualMachineImage> = {
  type: 'mutating',
  webhook: 'virtualmachineimages-mutator.harvesterhci.io',
  path: '/virtualmachineimages-mutate',
  kinds: [VirtualMachineImage],
  operations: ['CREATE', 'UPDATE'],
  mutate: async ({ object }) => {
    const { metadata, spec } = object;
    if (!LABEL_VALUE.test(spec.displayName)) return object;
    const labels = { ...metadata.labels, [IMAGE_DISPLAY_NAME]: spec.displayName };
    return { ...object, metadata: { ...metadata, labels } };
  },
};

export const imageValidation: ValidatingRule<VirtualMachineImage> = {
  type: 'validating',
  webhook: 'virtualmachineimages-validator.harvesterhci.io',
  path: '/virtualmachineimages-validate',
  kinds: [VirtualMachineImage],
  operations: ['CREATE', 'UPDATE'],
  async validate({ operation, object, oldObject, user }, context) {
    if (operation === 'UPDATE' && oldObject) return { errors: changeErrors(object, oldObject) };
    const errors = specErrors(object.spec);
    if (errors.length > 0) return { errors };
    await expectUnique(object, context);
    const { targetStorageClassName: wanted, pvcName = '', pvcNamespace = '' } = object.spec;
    const classes = wanted ? (await context.client.of(StorageClass).list()).items : [];
    if (wanted && !classes.some(({ metadata }) => metadata.name === wanted))
      return {
        errors: [fieldError('spec.targetStorageClassName', `There is no StorageClass ${wanted}`, 'FieldValueNotFound')],
      };
    if (!pvcName || isComponent(user)) return { errors: [] };
    const source = { source: { pvc: { name: pvcName, namespace: pvcNamespace } } };
    return { errors: await sourceErrors(source, 'spec', object.metadata.namespace ?? '', user, context) };
  },
};

const LABEL_VALUE = /^[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/;
const SHA512 = /^[0-9a-f]{128}$/i;

/** What is wrong with what an image asks for, whatever else there is. */
export function specErrors(spec: VirtualMachineImage['spec']): FieldError[] {
  const { displayName, sourceType, url, checksum, pvcName, pvcNamespace, securityParameters } = spec;
  const required = (path: string): FieldError =>
    fieldError(path, `Images of sourceType ${sourceType} need ${path}`, 'FieldValueRequired');
  if (sourceType === 'restore' || sourceType === 'clone' || securityParameters)
    return [
      fieldError(
        securityParameters ? 'spec.securityParameters' : 'spec.sourceType',
        'Vireo makes images by download, upload and export-from-volume: it has no backup target, and encrypts none',
        'FieldValueNotSupported',
      ),
    ];
  return [
    ...(LABEL_VALUE.test(displayName)
      ? []
      : [
          fieldError(
            'spec.displayName',
            `${JSON.stringify(displayName)} is no value of a label: at most 63 letters, digits, "-", "_" and "."`,
          ),
        ]),
    ...(sourceType === 'download' ? urlErrors(url, required) : []),
    ...(sourceType !== 'download' && url
      ? [fieldError('spec.url', `Images of sourceType ${sourceType} have no url`)]
      : []),
    ...(sourceType === 'export-from-volume' && !pvcName ? [required('spec.pvcName')] : []),
    ...(sourceType === 'export-from-volume' && !pvcNamespace ? [required('spec.pvcNamespace')] : []),
    ...(sourceType !== 'export-from-volume' && (pvcName || pvcNamespace)
      ? [fieldError('spec.pvcName', `Images of sourceType ${sourceType} are made of no claim`)]
      : []),
    ...(checksum && !SHA512.test(checksum)
      ? [fieldError('spec.checksum', 'The checksum is to be a SHA-512 in 128 hexadecimal digits')]
      : []),
  ];
}

function urlErrors(url: string | undefined, required: (path: string) => FieldError): FieldError[] {
  if (!url) return [required('spec.url')];
  const protocol = URL.parse(url)?.protocol ?? '';
  return ['http:', 'https:'].includes(protocol)
    ? []
    : [fieldError('spec.url', `${JSON.stringify(url)} is no address that begins with http:// or https://`)];
}

/** Only where it comes from may change, and only until it is there. */
function changeErrors(image: VirtualMachineImage, old: VirtualMachineImage): FieldError[] {
  const fixed = ['displayName', 'sourceType', 'pvcName', 'pvcNamespace', 'checksum', 'targetStorageClassName'] as const;
  const changed = fixed
    .filter((name) => image.spec[name] !== old.spec[name])
    .map((name) => fieldError(`spec.${name}`, `spec.${name} cannot be changed`, 'FieldValueForbidden'));
  const isMoved = image.spec.url !== old.spec.url;
  if (isMoved && isImported(old))
    return [
      ...changed,
      fieldError('spec.url', 'The image is there: its spec.url cannot be changed', 'FieldValueForbidden'),
    ];
  return isMoved ? [...changed, ...specErrors(image.spec)] : changed;
}

async function expectUnique({ metadata, spec }: VirtualMachineImage, { client }: Pick<AdmissionContext, 'client'>) {
  const { items } = await client.of(VirtualMachineImage).list({ namespace: metadata.namespace });
  const other = items.find((each) => each.spec.displayName === spec.displayName);
  if (other)
    throw conflict(
      { group: VirtualMachineImage.group, resource: VirtualMachineImage.plural },
      metadata.name ?? '',
      `the image ${other.metadata.name} has the displayName ${spec.displayName} already`,
    );
}
