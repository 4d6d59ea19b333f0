import type { Pod } from '@vireo/api';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';

type PodSpec = NonNullable<Pod['spec']>;
type PodVolume = NonNullable<PodSpec['volumes']>[number];

/** The volume of a pod that names Secrets and ConfigMaps. */
const OBJECTS_VOLUME = 'vireo-objects';
/** In every namespace: whom to trust, which comes with the token of a service account. */
const ROOT_CA = 'kube-root-ca.crt';

/** A node reads only what its pods name, so the launcher names everything that the VMI has the node read. */
export const namedObjects = (vmi: Vmi): Pick<PodSpec, 'imagePullSecrets' | 'volumes'> => {
  const pullSecrets = pullSecretsOf(vmi);
  const needsToken = vmi.spec.volumes?.some(({ serviceAccount }) => serviceAccount) ?? false;
  const volume = objectsVolume(secretsOf(vmi.spec), configMapsOf(vmi), needsToken);
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

/** The Secrets that a VMI reads as it starts and while it runs. */
export const secretsOf = ({ volumes = [], accessCredentials = [] }: Vmi['spec']): string[] =>
  distinct([
    ...volumes.flatMap(({ secret, sysprep, cloudInitNoCloud, cloudInitConfigDrive }) => [
      secret?.secretName,
      sysprep?.secret?.name,
      ...[cloudInitNoCloud, cloudInitConfigDrive].flatMap((data) => [
        data?.secretRef?.name,
        data?.networkDataSecretRef?.name,
      ]),
    ]),
    ...accessCredentials.flatMap(({ sshPublicKey, userPassword }) => [
      sshPublicKey?.source?.secret?.secretName,
      userPassword?.source?.secret?.secretName,
    ]),
  ]);

const configMapsOf = ({ spec: { volumes = [] } }: Vmi): string[] =>
  distinct(
    volumes.flatMap(({ configMap, sysprep, serviceAccount }) => [
      configMap?.name,
      sysprep?.configMap?.name,
      serviceAccount && ROOT_CA,
    ]),
  );

const pullSecretsOf = ({ spec: { volumes = [], domain } }: Vmi): string[] =>
  distinct([
    ...volumes.map(({ containerDisk }) => containerDisk?.imagePullSecret),
    domain.firmware?.kernelBoot?.container?.imagePullSecret,
  ]);

const distinct = (names: readonly (string | undefined)[]): string[] => [
  ...new Set(names.flatMap((name) => name || [])),
];
