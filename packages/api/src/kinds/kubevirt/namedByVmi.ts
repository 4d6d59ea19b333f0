import type { Network } from './network.ts';
import type { VirtualMachineInstance } from './virtualMachineInstance.ts';

type Spec = VirtualMachineInstance['spec'];

/** The Secrets that a VMI reads as it starts and while it runs. */
export const secretsOf = ({
  volumes = [],
  accessCredentials = [],
}: Pick<Spec, 'volumes' | 'accessCredentials'>): string[] =>
  distinctNames([
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

/** The ConfigMaps that a VMI reads as it starts. */
export const configMapsOf = ({ volumes = [] }: Pick<Spec, 'volumes'>): string[] =>
  distinctNames(volumes.flatMap(({ configMap, sysprep }) => [configMap?.name, sysprep?.configMap?.name]));

/** The NetworkAttachmentDefinition of a network, as `namespace/name`. `namespace`: that of the VMI. */
export function definitionKey({ multus }: Network, namespace: string): string {
  const [name = '', of = namespace] = (multus?.networkName ?? '').split('/').reverse();
  return `${of}/${name}`;
}

/** The NetworkAttachmentDefinitions that a VMI of that namespace is connected to, as `namespace/name`. */
export const networkDefinitionsOf = ({ networks = [] }: Pick<Spec, 'networks'>, namespace: string): string[] =>
  distinctNames(networks.map((network) => network.multus && definitionKey(network, namespace)));

/** Each name once, without those that are missing or empty. */
export const distinctNames = (names: readonly (string | undefined)[]): string[] => [
  ...new Set(names.flatMap((name) => name || [])),
];
