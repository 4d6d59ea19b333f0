import type { Container } from '@vireo/api/kinds/core/container.ts';
import type { Pod } from '@vireo/api/kinds/core/pod.ts';
import type { ServiceAccount } from '@vireo/api/kinds/core/serviceAccount.ts';
import type { Volume } from '@vireo/api/kinds/core/volume.ts';
import { generateName } from '@vireo/api/names.ts';
import type { Lookup } from '../strategies/strategy.ts';
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts';
import { isNewPod, refuse } from './refuse.ts';

const TOKEN_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
const TOKEN_SECONDS = 3607;
const DEFAULT_ACCOUNT = 'default';
const MAX_ATTEMPTS = 10;
const TRY_AFTER_MS = 100;

/** Every pod runs as a ServiceAccount that exists, has a token of it at hand and uses its pull secrets. */
export const serviceAccount = (lookup: Pick<Lookup, 'get'>): AdmissionPlugin => ({
  name: 'ServiceAccount',
  async mutate(request) {
    if (!isNewPod(request)) return;
    const { spec } = request.object as unknown as Pod;
    if (!spec) return;
    const name = spec.serviceAccountName || spec.serviceAccount || DEFAULT_ACCOUNT;
    spec.serviceAccountName = name;
    spec.serviceAccount = name;
    const account = await find(request, name, lookup);
    if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) mountToken(spec);
    if (!spec.imagePullSecrets?.length && account.imagePullSecrets?.length)
      spec.imagePullSecrets = account.imagePullSecrets.map((secret) => ({ ...secret }));
  },
});

/** A namespace's default account comes a moment after the namespace: worth a short wait, as in Kubernetes. */
async function find(request: AdmissionRequest, name: string, lookup: Pick<Lookup, 'get'>): Promise<ServiceAccount> {
  const { namespace } = request;
  for (let attempt = 1; ; attempt++) {
    const found = lookup.get('', 'serviceaccounts', namespace, name);
    if (found) return found as unknown as ServiceAccount;
    if (name !== DEFAULT_ACCOUNT || attempt === MAX_ATTEMPTS)
      throw refuse(
        request,
        `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`,
      );
    await new Promise((resolve) => setTimeout(resolve, TRY_AFTER_MS));
  }
}

type PodSpec = NonNullable<Pod['spec']>;

function mountToken(spec: PodSpec): void {
  const existing = spec.volumes?.find(({ name }) => name.startsWith('kube-api-access-'))?.name;
  const name = existing ?? generateName('kube-api-access-');
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])].filter(lacksToken);
  if (containers.length === 0) return;
  for (const container of containers)
    container.volumeMounts = [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath: TOKEN_PATH }];
  if (!existing) spec.volumes = [...(spec.volumes ?? []), tokenVolume(name)];
}

const lacksToken = ({ volumeMounts }: Container): boolean =>
  !(volumeMounts ?? []).some(({ mountPath }) => mountPath === TOKEN_PATH);

const tokenVolume = (name: string): Volume => ({
  name,
  projected: {
    defaultMode: 0o644,
    sources: [
      { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      {
        downwardAPI: {
          items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
        },
      },
    ],
  },
});
