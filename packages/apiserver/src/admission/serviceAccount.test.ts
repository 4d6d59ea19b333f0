import type { Pod } from '@vireo/api/kinds/core/pod.ts';
import { describe, expect, it } from 'vitest';
import { create, kindOf, Objects, object, outcome, podKind } from '../testing/admission.ts';
import { serviceAccount } from './serviceAccount.ts';

const accountKind = kindOf('ServiceAccount', 'serviceaccounts');
const accounts = () =>
  new Objects().put(
    accountKind,
    object(accountKind, 'default', { imagePullSecrets: [{ name: 'registry' }] }),
    object(accountKind, 'tokenless', { automountServiceAccountToken: false }),
  );
const podWith = (spec: object = {}) => object(podKind, 'p', { spec: { containers: [{ name: 'c' }], ...spec } });
const specOf = (pod: unknown) => (pod as Pod).spec;

describe('ServiceAccount', () => {
  it('gives a pod the default account, its pull secrets and a token in every container', async () => {
    const pod = podWith({ initContainers: [{ name: 'i' }] });
    expect(await outcome(serviceAccount(accounts()), create(podKind, pod))).toBe('admitted');
    const spec = specOf(pod);
    expect(spec).toMatchObject({
      serviceAccountName: 'default',
      serviceAccount: 'default',
      imagePullSecrets: [{ name: 'registry' }],
    });
    const [volume] = spec?.volumes ?? [];
    expect(volume?.name).toMatch(/^kube-api-access-[a-z0-9]{5}$/);
    expect(volume?.projected).toEqual({
      defaultMode: 420,
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        {
          downwardAPI: {
            items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
          },
        },
      ],
    });
    const mount = { name: volume?.name, readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' };
    expect(spec?.containers[0]?.volumeMounts).toEqual([mount]);
    expect(spec?.initContainers?.[0]?.volumeMounts).toEqual([mount]);
  });

  it.each<[string, object]>([
    ['the pod', { automountServiceAccountToken: false }],
    ['the account', { serviceAccountName: 'tokenless' }],
    [
      'a mount of its own',
      {
        containers: [
          { name: 'c', volumeMounts: [{ name: 'v', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }] },
        ],
      },
    ],
  ])('mounts no token where %s says no', async (_, spec) => {
    const pod = podWith(spec);
    await outcome(serviceAccount(accounts()), create(podKind, pod));
    expect(specOf(pod)?.volumes).toBeUndefined();
  });

  it('lets the pod overrule its account', async () => {
    const pod = podWith({ serviceAccountName: 'tokenless', automountServiceAccountToken: true });
    await outcome(serviceAccount(accounts()), create(podKind, pod));
    expect(specOf(pod)?.volumes).toHaveLength(1);
  });

  it('refuses an account that does not exist', async () => {
    const pod = podWith({ serviceAccountName: 'nobody' });
    expect(await outcome(serviceAccount(accounts()), create(podKind, pod))).toBe(
      '403 pods "p" is forbidden: error looking up service account default/nobody: serviceaccount "nobody" not found',
    );
  });

  it('waits a moment for the default account of a new namespace', async () => {
    const late = new Objects();
    const admitted = outcome(serviceAccount(late), create(podKind, podWith()));
    late.put(accountKind, object(accountKind, 'default'));
    expect(await admitted).toBe('admitted');
  });
});
