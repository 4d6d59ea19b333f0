import { conflict, type FieldError, fieldError, StorageClass } from '@vireo/api';
import { IMAGE_DISPLAY_NAME } from '@vireo/api/kinds/harvester/names.ts';
import { isImported, VirtualMachineImage } from '@vireo/api/kinds/harvester/virtualMachineImage.ts';
import { REFUSED_PAGE } from '../harvester/refusedPage.ts';
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
        errors: [
          fieldError('spec.targetStorageClassName', `StorageClass ${wanted} does not exist`, 'FieldValueNotFound'),
        ],
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
    fieldError(path, `An image with sourceType ${sourceType} needs ${path}`, 'FieldValueRequired');
  if (sourceType === 'restore' || sourceType === 'clone' || securityParameters)
    return [
      fieldError(
        securityParameters ? 'spec.securityParameters' : 'spec.sourceType',
        'Vireo supports download, upload and export-from-volume; backups have no images of their own, and images are ' +
          `not encrypted (${REFUSED_PAGE})`,
        'FieldValueNotSupported',
      ),
    ];
  return [
    ...(LABEL_VALUE.test(displayName)
      ? []
      : [
          fieldError(
            'spec.displayName',
            `${JSON.stringify(displayName)} is not a valid label value: use at most 63 letters, digits, "-", "_" and "."`,
          ),
        ]),
    ...(sourceType === 'download' ? urlErrors(url, required) : []),
    ...(sourceType !== 'download' && url
      ? [fieldError('spec.url', `An image with sourceType ${sourceType} cannot have a url`)]
      : []),
    ...(sourceType === 'export-from-volume' && !pvcName ? [required('spec.pvcName')] : []),
    ...(sourceType === 'export-from-volume' && !pvcNamespace ? [required('spec.pvcNamespace')] : []),
    ...(sourceType !== 'export-from-volume' && (pvcName || pvcNamespace)
      ? [fieldError('spec.pvcName', `An image with sourceType ${sourceType} cannot name a claim`)]
      : []),
    ...(checksum && !SHA512.test(checksum)
      ? [fieldError('spec.checksum', 'The checksum must be a SHA-512 of 128 hexadecimal digits')]
      : []),
  ];
}

function urlErrors(url: string | undefined, required: (path: string) => FieldError): FieldError[] {
  if (!url) return [required('spec.url')];
  const protocol = URL.parse(url)?.protocol ?? '';
  return ['http:', 'https:'].includes(protocol)
    ? []
    : [fieldError('spec.url', `${JSON.stringify(url)} is not a URL that starts with http:// or https://`)];
}

/** Only where it comes from may change, and only until it is there. */
function changeErrors(image: VirtualMachineImage, old: VirtualMachineImage): FieldError[] {
  const fixed = ['displayName', 'sourceType', 'pvcName', 'pvcNamespace', 'checksum', 'targetStorageClassName'] as const;
  const changed = fixed
    .filter((name) => image.spec[name] !== old.spec[name])
    .map((name) => fieldError(`spec.${name}`, `spec.${name} is immutable`, 'FieldValueForbidden'));
  const isMoved = image.spec.url !== old.spec.url;
  if (isMoved && isImported(old))
    return [
      ...changed,
      fieldError('spec.url', 'spec.url is immutable after the image is imported', 'FieldValueForbidden'),
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
      `image ${other.metadata.name} already has the displayName ${spec.displayName}`,
    );
}
