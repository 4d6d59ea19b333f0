import type { VirtualMachineSpec } from '@vireo/api/kinds/kubevirt/virtualMachineSpec.ts';
import type { Volume } from '@vireo/api/kinds/kubevirt/volume.ts';
import type { PoolSpec } from './pool.ts';

/** The DataVolumes that the VM with that index brings along. */
export const dataVolumeNames = ({ virtualMachineTemplate }: PoolSpec, index: number): string[] =>
  (virtualMachineTemplate?.spec?.dataVolumeTemplates ?? []).flatMap(({ metadata }) =>
    metadata?.name ? [`${metadata.name}-${index}`] : [],
  );

/**
 * The spec of the VM with that index. Its DataVolumes end in the index, and so do the volumes that use them; ConfigMaps
 * and Secrets do where the pool says so.
 */
export function indexedSpec(pool: PoolSpec, index: number): VirtualMachineSpec {
  const { spec } = pool.virtualMachineTemplate;
  if (!spec) throw new Error('spec.virtualMachineTemplate.spec is missing');
  const { dataVolumeTemplates, template } = spec;
  const own = new Set(dataVolumeTemplates?.flatMap(({ metadata }) => metadata?.name ?? []));
  const { appendIndexToConfigMapRefs = false, appendIndexToSecretRefs = false } = pool.nameGeneration ?? {};
  const suffixed = (name: string): string => `${name}-${index}`;
  const renames: Renames = {
    claim: (name) => (own.has(name) ? suffixed(name) : name),
    configMap: appendIndexToConfigMapRefs ? suffixed : same,
    secret: appendIndexToSecretRefs ? suffixed : same,
  };
  const volumes = template.spec?.volumes?.map((volume) => renamed(volume, renames));
  return {
    ...spec,
    ...(dataVolumeTemplates && {
      dataVolumeTemplates: dataVolumeTemplates.map((each) =>
        each.metadata?.name ? { ...each, metadata: { ...each.metadata, name: suffixed(each.metadata.name) } } : each,
      ),
    }),
    template: { ...template, ...(template.spec && volumes && { spec: { ...template.spec, volumes } }) },
  };
}

type Rename = (name: string) => string;

interface Renames {
  readonly claim: Rename;
  readonly configMap: Rename;
  readonly secret: Rename;
}

const same: Rename = (name) => name;

function renamed(volume: Volume, { claim, configMap, secret }: Renames): Volume {
  const { dataVolume, persistentVolumeClaim, cloudInitNoCloud, cloudInitConfigDrive, sysprep } = volume;
  const { configMap: ofConfigMap, secret: ofSecret } = volume;
  return {
    ...volume,
    ...(dataVolume && { dataVolume: { ...dataVolume, name: claim(dataVolume.name) } }),
    ...(persistentVolumeClaim && {
      persistentVolumeClaim: { ...persistentVolumeClaim, claimName: claim(persistentVolumeClaim.claimName) },
    }),
    ...(ofConfigMap && { configMap: withName(ofConfigMap, configMap) }),
    ...(ofSecret?.secretName && { secret: { ...ofSecret, secretName: secret(ofSecret.secretName) } }),
    ...(cloudInitNoCloud && { cloudInitNoCloud: withSecrets(cloudInitNoCloud, secret) }),
    ...(cloudInitConfigDrive && { cloudInitConfigDrive: withSecrets(cloudInitConfigDrive, secret) }),
    ...(sysprep && {
      sysprep: {
        ...sysprep,
        ...(sysprep.configMap && { configMap: withName(sysprep.configMap, configMap) }),
        ...(sysprep.secret && { secret: withName(sysprep.secret, secret) }),
      },
    }),
  };
}

interface Named {
  readonly name?: string;
}

const withName = <T extends Named>(reference: T, rename: Rename): T =>
  reference.name ? { ...reference, name: rename(reference.name) } : reference;

const withSecrets = <T extends { readonly secretRef?: Named; readonly networkDataSecretRef?: Named }>(
  source: T,
  rename: Rename,
): T => ({
  ...source,
  ...(source.secretRef && { secretRef: withName(source.secretRef, rename) }),
  ...(source.networkDataSecretRef && { networkDataSecretRef: withName(source.networkDataSecretRef, rename) }),
});
