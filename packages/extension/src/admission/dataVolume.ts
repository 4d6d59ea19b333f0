import { type FieldError, fieldError, PersistentVolumeClaim } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import { CDIConfig } from '@vireo/api/kinds/cdi/cdiConfig.ts';
import { DataSource } from '@vireo/api/kinds/cdi/dataSource.ts';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { ALLOW_ADOPTION, POPULATED_FOR } from '@vireo/api/kinds/cdi/names.ts';
import type { Client, UserInfo } from '@vireo/kube';
import { reviewAccess } from '../authorize.ts';
import { isComponent } from '../identity.ts';
import { claimOfDataVolume, spaceWarnings } from './claimSpace.ts';
import { dataVolumeErrors } from './dataVolumeSpec.ts';
import { type AdmissionContext, ALLOWED, type ValidatingRule } from './rule.ts';

export const dataVolumeValidation: ValidatingRule<DataVolume> = {
  type: 'validating',
  webhook: 'datavolume-validate.cdi.kubevirt.io',
  path: '/datavolume-validate',
  kinds: [DataVolume],
  operations: ['CREATE', 'UPDATE'],
  async validate({ operation, object, oldObject, user }, context) {
    const { namespace = '' } = object.metadata;
    if (operation === 'UPDATE') {
      const isSame = deepEqual(object.spec, oldObject?.spec);
      return isSame
        ? ALLOWED
        : { errors: [fieldError('spec', 'Cannot update DataVolume Spec', 'FieldValueForbidden')] };
    }
    const errors = dataVolumeErrors(object.spec, 'spec');
    if (errors.length > 0) return { errors };
    // The system's own parts make what a VM asks for; whoever wrote the VM was asked then.
    const rights = isComponent(user) ? [] : await sourceErrors(object.spec, 'spec', namespace, user, context);
    const errorsOfOthers = [...rights, ...(await claimErrors(object, context.client))];
    const claims = isComponent(user) ? [] : claimOfDataVolume(object.spec, object.metadata.name);
    return { errors: errorsOfOthers, warnings: await spaceWarnings(claims, context.client) };
  },
};

/** What speaks against reading from where the data is: that is another namespace, and the user has no right to it. */
export async function sourceErrors(
  spec: DataVolume['spec'],
  path: string,
  namespace: string,
  user: UserInfo,
  { client }: Pick<AdmissionContext, 'client'>,
): Promise<FieldError[]> {
  const { sourceRef } = spec;
  const field = sourceRef ? `${path}.sourceRef` : `${path}.source`;
  let source: { pvc?: { namespace: string }; snapshot?: { namespace: string } } | undefined = spec.source;
  if (sourceRef) {
    const at = { namespace: sourceRef.namespace ?? namespace };
    const found = await client.of(DataSource).find(sourceRef.name, at);
    source = found?.spec.source;
    if (source && !source.pvc && !source.snapshot) source = { pvc: at };
  }
  const from = (source?.pvc ?? source?.snapshot)?.namespace;
  if (!from || from === namespace || (await mayReadDisks(client, user, from))) return [];
  const text = `User ${user.username} has insufficient permissions in clone source namespace ${from}`;
  return [fieldError(field, text)];
}

/** To create it is to copy disks of a namespace. */
export const DISK_SOURCE = { group: DataVolume.group, resource: 'datavolumes', subresource: 'source' };

/** Whoever may copy disks of a namespace, or run pods there, which could read them. */
export async function mayReadDisks(client: Client, user: UserInfo, namespace: string): Promise<boolean> {
  const asked = [DISK_SOURCE, { group: '', resource: 'pods', subresource: '' }];
  for (const resource of asked) {
    const { allowed } = await reviewAccess(client, user, { ...resource, namespace, verb: 'create' });
    if (allowed) return true;
  }
  return false;
}

/** A claim of the name that is there already is a mistake, unless it is meant. */
async function claimErrors({ metadata }: DataVolume, client: Client): Promise<FieldError[]> {
  const { name = '', namespace, annotations = {} } = metadata;
  if (!name) return [];
  const claim = await client.of(PersistentVolumeClaim).find(name, { namespace });
  if (!claim || claim.metadata.annotations?.[POPULATED_FOR] === name) return [];
  if (claim.metadata.ownerReferences?.some(({ controller, kind }) => controller && kind === DataVolume.kind)) return [];
  const annotation = annotations[ALLOW_ADOPTION];
  const config = annotation === undefined ? await client.of(CDIConfig).find('config') : undefined;
  const isAdopted = annotation === 'true' || config?.spec.featureGates?.includes('DataVolumeClaimAdoption');
  if (isAdopted) return [];
  const text = `Destination PVC ${namespace}/${name} already exists`;
  return [fieldError('DataVolume.Name', text, 'FieldValueDuplicate')];
}
