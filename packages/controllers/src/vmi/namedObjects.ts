import type { Pod } from '@vireo/api';
import { ROOT_CA_CONFIG_MAP } from '@vireo/api/kinds/core/configMap.ts';
import { configMapsOf, distinctNames, secretsOf } from '@vireo/api/kinds/kubevirt/namedByVmi.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';

type PodSpec = NonNullable<Pod['spec']>;
type PodVolume = NonNullable<PodSpec['volumes']>[number];

/** The volume of a pod that names Secrets and ConfigMaps. */
const OBJECTS_VOLUME = 'vireo-objects';

/** A node reads only what its pods name, so the launcher names everything that the VMI has the node read. */
export const namedObjects = (vmi: Vmi): Pick<PodSpec, 'imagePullSecrets' | 'volumes'> => {
  const pullSecrets = pullSecretsOf(vmi);
  const needsToken = vmi.spec.volumes?.some(({ serviceAccount }) => serviceAccount) ?? false;
  const configMaps = distinctNames([...configMapsOf(vmi.spec), needsToken ? ROOT_CA_CONFIG_MAP : undefined]);
  const volume = objectsVolume(secretsOf(vmi.spec), configMaps, needsToken);
  return {
    ...(pullSecrets.length > 0 && { imagePullSecrets: pullSecrets.map((name) => ({ name })) }),
    volumes: volume ? [volume] : [],
  };
};

/** A volume that names objects, each once; undefined for none. It mounts nothing, so none of them has to exist. */
export function objectsVolume(
  secrets: readonly string[],
  configMaps: readonly string[],
  needsToken = false,
): PodVolume | undefined {
  const sources = [
    ...secrets.map((name) => ({ secret: { name, optional: true } })),
    ...configMaps.map((name) => ({ configMap: { name, optional: true } })),
    // Nodes get tokens only for audiences that a pod names; this one is the server itself.
    ...(needsToken ? [{ serviceAccountToken: { path: 'token' } }] : []),
  ];
  return sources.length > 0 ? { name: OBJECTS_VOLUME, projected: { sources } } : undefined;
}

const pullSecretsOf = ({ spec: { volumes = [], domain } }: Vmi): string[] =>
  distinctNames([
    ...volumes.map(({ containerDisk }) => containerDisk?.imagePullSecret),
    domain.firmware?.kernelBoot?.container?.imagePullSecret,
  ]);
