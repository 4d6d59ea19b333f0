import type { PersistentVolume, Pod } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';

/** The kinds of objects that a pod leads its node to. */
export type Referenced =
  | 'configmaps'
  | 'persistentvolumeclaims'
  | 'pods'
  | 'resourceclaims'
  | 'secrets'
  | 'serviceaccounts';

/** One of them, by kind, namespace and name. */
export const referenceKey = (resource: Referenced | 'persistentvolumes', namespace: string, name: string): string =>
  `${resource} ${namespace}/${name}`;

/** Everything that a pod names, and that its node may therefore read: as keys, each once. */
export function podReferences({ metadata, spec, status }: Pod): string[] {
  const { name: podName = '', namespace = '' } = metadata;
  const keys = new Set<string>();
  const add = (resource: Referenced, name: string | undefined): void => {
    if (name) keys.add(referenceKey(resource, namespace, name));
  };
  add('pods', podName);
  add('serviceaccounts', spec?.serviceAccountName);
  for (const { name } of spec?.imagePullSecrets ?? []) add('secrets', name);
  const containers = [
    ...(spec?.initContainers ?? []),
    ...(spec?.containers ?? []),
    ...(spec?.ephemeralContainers ?? []),
  ];
  for (const { env, envFrom } of containers) {
    for (const { valueFrom } of env ?? []) {
      add('secrets', valueFrom?.secretKeyRef?.name);
      add('configmaps', valueFrom?.configMapKeyRef?.name);
    }
    for (const { secretRef, configMapRef } of envFrom ?? []) {
      add('secrets', secretRef?.name);
      add('configmaps', configMapRef?.name);
    }
  }
  for (const volume of spec?.volumes ?? []) {
    add('secrets', volume.secret?.secretName);
    add('configmaps', volume.configMap?.name);
    add('persistentvolumeclaims', volume.persistentVolumeClaim?.claimName);
    if (volume.ephemeral) add('persistentvolumeclaims', `${podName}-${volume.name}`);
    for (const { secret, configMap } of volume.projected?.sources ?? []) {
      add('secrets', secret?.name);
      add('configmaps', configMap?.name);
    }
    for (const source of Object.values(volume)) for (const { name } of secretsOfSource(source)) add('secrets', name);
  }
  for (const { resourceClaimName } of spec?.resourceClaims ?? []) add('resourceclaims', resourceClaimName);
  for (const { resourceClaimName } of status?.resourceClaimStatuses ?? []) add('resourceclaims', resourceClaimName);
  return [...keys];
}

/** The secrets that a node needs to mount a volume. */
export const volumeSecrets = ({ spec }: PersistentVolume): string[] =>
  Object.values(spec ?? {}).flatMap((source) =>
    secretsOfSource(source).map(({ name, namespace }) =>
      referenceKey('secrets', namespace ?? spec?.claimRef?.namespace ?? '', name),
    ),
  );

/** `secretRef` of many kinds of storage, CSI's for nodes (not those for its controller), and Azure's own way to say it. */
function secretsOfSource(source: unknown): { name: string; namespace?: string }[] {
  if (!isObject(source)) return [];
  const { secretName, secretNamespace, shareName } = source;
  const azure =
    typeof secretName === 'string' && shareName !== undefined ? [{ name: secretName, namespace: secretNamespace }] : [];
  const named = Object.entries(source)
    .filter(([key]) => key === 'secretRef' || (key.startsWith('node') && key.endsWith('SecretRef')))
    .map(([, ref]) => ref);
  return [...azure, ...named].flatMap((ref) =>
    isObject(ref) && typeof ref.name === 'string' && ref.name !== ''
      ? [{ name: ref.name, ...(typeof ref.namespace === 'string' && { namespace: ref.namespace }) }]
      : [],
  );
}
