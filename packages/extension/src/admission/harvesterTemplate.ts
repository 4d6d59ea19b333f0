import { badRequest, type FieldError, fieldError, isDeleting, methodNotAllowed } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import { KeyPair } from '@vireo/api/kinds/harvester/keyPair.ts';
import { HarvesterTemplate } from '@vireo/api/kinds/harvester/virtualMachineTemplate.ts';
import { VirtualMachineTemplateVersion } from '@vireo/api/kinds/harvester/virtualMachineTemplateVersion.ts';
import type { Client } from '@vireo/kube';
import { ALLOWED, type MutatingRule, type ValidatingRule } from './rule.ts';

const VERSIONS = { group: VirtualMachineTemplateVersion.group, resource: VirtualMachineTemplateVersion.plural };

/** `namespace/name`, as Harvester's kinds refer to each other. Undefined: it is none. */
function readId(id: string | undefined): { namespace: string; name: string } | undefined {
  const [namespace, name, ...more] = (id ?? '').split('/');
  return namespace && name && more.length === 0 ? { namespace, name } : undefined;
}

/** A version without a name is called after its template. */
export const templateVersionDefaults: MutatingRule<VirtualMachineTemplateVersion> = {
  type: 'mutating',
  webhook: 'virtualmachinetemplateversions-mutator.harvesterhci.io',
  path: '/virtualmachinetemplateversions-mutate',
  kinds: [VirtualMachineTemplateVersion],
  operations: ['CREATE'],
  mutate: async ({ object }) => {
    const { metadata, spec } = object;
    const template = readId(spec.templateId);
    if (metadata.name || metadata.generateName || !template) return object;
    return { ...object, metadata: { ...metadata, generateName: `${template.name}-` } };
  },
};

/** Versions never change: VMs that were made from one can always be compared with it. */
export const templateVersionValidation: ValidatingRule<VirtualMachineTemplateVersion> = {
  type: 'validating',
  webhook: 'virtualmachinetemplateversions-validator.harvesterhci.io',
  path: '/virtualmachinetemplateversions-validate',
  kinds: [VirtualMachineTemplateVersion],
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  async validate({ operation, object, oldObject }, { client }) {
    const { namespace = '' } = object.metadata;
    if (operation === 'DELETE') {
      await expectNotDefault(object, client);
      return ALLOWED;
    }
    if (oldObject) {
      if (deepEqual(object.spec, oldObject.spec)) return ALLOWED;
      throw methodNotAllowed(VERSIONS, 'update of spec');
    }
    const errors = await templateErrors(object, namespace, client);
    return { errors, ...(errors.length === 0 && { warnings: await keyWarnings(object, client) }) };
  },
};

async function expectNotDefault({ metadata, spec }: VirtualMachineTemplateVersion, client: Client): Promise<void> {
  const id = readId(spec.templateId);
  const template = id && (await client.of(HarvesterTemplate).find(id.name, { namespace: id.namespace }));
  if (!template || isDeleting(template)) return;
  if (template.spec?.defaultVersionId !== `${metadata.namespace}/${metadata.name}`) return;
  throw badRequest(
    `VirtualMachineTemplateVersion ${metadata.namespace}/${metadata.name} is the default version of its template; ` +
      `set spec.defaultVersionId of VirtualMachineTemplate ${spec.templateId} to another version first, or delete the template`,
  );
}

async function templateErrors(
  { spec }: VirtualMachineTemplateVersion,
  namespace: string,
  client: Client,
): Promise<FieldError[]> {
  const path = 'spec.templateId';
  const id = readId(spec.templateId);
  const given = JSON.stringify(spec.templateId);
  if (!id) return [fieldError(path, `${path} is ${given}: it must be namespace/name of a VirtualMachineTemplate`)];
  if (id.namespace !== namespace)
    return [
      fieldError(path, `${path} is ${given}: the template must be in the namespace of the version, ${namespace}`),
    ];
  const template = await client.of(HarvesterTemplate).find(id.name, { namespace });
  if (!template)
    return [fieldError(path, `${path} is ${given}: there is no such VirtualMachineTemplate`, 'FieldValueNotFound')];
  return isDeleting(template) ? [fieldError(path, `${path} is ${given}: the template is being deleted`)] : [];
}

async function keyWarnings({ spec }: VirtualMachineTemplateVersion, client: Client): Promise<string[]> {
  const found = await Promise.all(
    (spec.keyPairIds ?? []).map(async (id) => {
      const key = readId(id);
      const isThere = key && (await client.of(KeyPair).find(key.name, { namespace: key.namespace }));
      return isThere ? [] : [`spec.keyPairIds: KeyPair ${id} does not exist.`];
    }),
  );
  return found.flat();
}

/** The default version is one of the template's own. */
export const templateValidation: ValidatingRule<HarvesterTemplate> = {
  type: 'validating',
  webhook: 'virtualmachinetemplates-validator.harvesterhci.io',
  path: '/virtualmachinetemplates-validate',
  kinds: [HarvesterTemplate],
  operations: ['CREATE', 'UPDATE'],
  async validate({ object, oldObject }, { client }) {
    const wanted = object.spec?.defaultVersionId;
    if (!wanted || wanted === oldObject?.spec?.defaultVersionId) return ALLOWED;
    const path = 'spec.defaultVersionId';
    const { namespace, name } = object.metadata;
    const id = readId(wanted);
    const version =
      id?.namespace === namespace &&
      (await client.of(VirtualMachineTemplateVersion).find(id?.name ?? '', { namespace }));
    if (version && version.spec.templateId === `${namespace}/${name}`) return ALLOWED;
    const text = `${path} is ${JSON.stringify(wanted)}: it must be namespace/name of a version of this template`;
    return { errors: [fieldError(path, text, 'FieldValueNotFound')] };
  },
};
