import { httpTransport } from '@vireo/kube';
import { describe, expect, it } from 'vitest';
import { useCluster } from './kubectl.ts';
import { certificates } from './vireo.ts';

const { kubectl, namespace, vireo } = useCluster();

/** Options that make kubectl forget the administrator's certificate. */
const anonymous = () =>
  `--server=https://127.0.0.1:${vireo().port} --kubeconfig= --certificate-authority=${vireo().home}/pki/ca.crt`;

describe('kubectl auth', () => {
  it('whoami', async () => {
    const [admin, other] = await Promise.all([
      kubectl('auth whoami'),
      kubectl('auth whoami --as=jane --as-group=staff --as-uid=7'),
    ]);
    expect(admin).toMatchInlineSnapshot(`
      "ATTRIBUTE                                           VALUE
      Username                                            kubernetes-admin
      Groups                                              [system:masters system:authenticated]
      Extra: authentication.kubernetes.io/credential-id   [X509SHA256=<hash>]"
    `);
    expect(other).toMatchInlineSnapshot(`
      "ATTRIBUTE   VALUE
      Username    jane
      UID         7
      Groups      [staff system:authenticated]"
    `);
  });

  it('can-i answers yes or no, and by its exit code', async () => {
    await kubectl.do('create role reader --verb=get,list --resource=configmaps');
    await kubectl.do('create rolebinding readers --role=reader --user=jane');
    expect(
      await Promise.all([
        kubectl('auth can-i "*" "*"'),
        kubectl('auth can-i list configmaps --as=jane'),
        kubectl('auth can-i delete configmaps --as=jane'),
        kubectl('auth can-i list configmaps --as=jane -n kube-system'),
        kubectl('auth can-i get /healthz --as=jane'),
        kubectl('auth can-i create pods --subresource=eviction --as=jane'),
      ]),
    ).toEqual(['yes', 'yes', 'no\nexit code 1', 'no\nexit code 1', 'yes', 'no\nexit code 1']);
  });

  it('can-i --list shows the rules', async () => {
    expect(await kubectl('auth can-i --list --as=jane')).toMatchInlineSnapshot(`
      "Resources                                       Non-Resource URLs   Resource Names   Verbs
      selfsubjectreviews.authentication.k8s.io        []                  []               [create]
      selfsubjectaccessreviews.authorization.k8s.io   []                  []               [create]
      selfsubjectrulesreviews.authorization.k8s.io    []                  []               [create]
      configmaps                                      []                  []               [get list]
                                                      [/api/*]            []               [get]
                                                      [/api]              []               [get]
                                                      [/apis/*]           []               [get]
                                                      [/apis]             []               [get]
                                                      [/healthz]          []               [get]
                                                      [/healthz]          []               [get]
                                                      [/livez]            []               [get]
                                                      [/livez]            []               [get]
                                                      [/openapi/*]        []               [get]
                                                      [/openapi]          []               [get]
                                                      [/readyz]           []               [get]
                                                      [/readyz]           []               [get]
                                                      [/version/]         []               [get]
                                                      [/version/]         []               [get]
                                                      [/version]          []               [get]
                                                      [/version]          []               [get]"
    `);
  });

  it('reconcile adds what a role lacks', async () => {
    const role = (verbs: string) => `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: grown, namespace: default}
rules:
- {apiGroups: [""], resources: [pods], verbs: ${verbs}}
`;
    expect(await kubectl('auth reconcile -f -', { input: role('[get]') })).toMatchInlineSnapshot(`
      "role.rbac.authorization.k8s.io/grown reconciled
      	reconciliation required create
      	missing rules added:
      		{Verbs:[get] APIGroups:[] Resources:[pods] ResourceNames:[] NonResourceURLs:[]}"
    `);
    expect(await kubectl('auth reconcile -f -', { input: role('[list]') })).toMatchInlineSnapshot(`
      "role.rbac.authorization.k8s.io/grown reconciled
      	reconciliation required update
      	missing rules added:
      		{Verbs:[list] APIGroups:[] Resources:[pods] ResourceNames:[] NonResourceURLs:[]}"
    `);
    const verbs = await kubectl('get role grown -o jsonpath={.rules[*].verbs[*]}');
    expect(verbs.split(' ').sort()).toEqual(['get', 'list']);
  });
});

describe('impersonation', () => {
  it('acts with the rights of the other', async () => {
    const [forbidden, cluster, path, group, account] = await Promise.all([
      kubectl('get pods --as=nobody'),
      kubectl('create namespace x --as=nobody'),
      kubectl('get --raw /metrics --as=nobody'),
      kubectl('get namespaces -o name --as=nobody --as-group=system:masters'),
      kubectl('get secrets -n kube-system --as=system:serviceaccount:default:default'),
    ]);
    expect(forbidden).toMatchInlineSnapshot(`
      "Error from server (Forbidden): pods is forbidden: User "nobody" cannot list resource "pods" in API group "" in the namespace "default"
      exit code 1"
    `);
    expect(cluster).toMatchInlineSnapshot(`
      "Error from server (Forbidden): namespaces is forbidden: User "nobody" cannot create resource "namespaces" in API group "" at the cluster scope
      exit code 1"
    `);
    expect(path).toMatchInlineSnapshot(`
      "Error from server (Forbidden): forbidden: User "nobody" cannot get path "/metrics"
      exit code 1"
    `);
    expect(group).toContain('namespace/default');
    expect(account).toMatchInlineSnapshot(`
      "Error from server (Forbidden): secrets is forbidden: User "system:serviceaccount:default:default" cannot list resource "secrets" in API group "" in the namespace "kube-system"
      exit code 1"
    `);
  });

  it('is itself a right', async () => {
    const { stdout: token } = await kubectl.run('create token default');
    expect(await kubectl(`get pods ${anonymous()} --token=${token} --as=jane`)).toMatchInlineSnapshot(`
      "Error from server (Forbidden): users "jane" is forbidden: User "system:serviceaccount:default:default" cannot impersonate resource "users" in API group "" at the cluster scope
      exit code 1"
    `);
  });
});

describe('service accounts', () => {
  it('get tokens and what is bound to them', async () => {
    await namespace('bots');
    await kubectl.do('create serviceaccount bot -n bots');
    await kubectl.do('create rolebinding bot-view -n bots --clusterrole=view --serviceaccount=bots:bot');
    const { stdout: token } = await kubectl.run('create token bot -n bots --duration=10m');
    const claims = JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString());
    expect(claims).toMatchObject({
      sub: 'system:serviceaccount:bots:bot',
      aud: ['https://kubernetes.default.svc.cluster.local'],
      'kubernetes.io': { namespace: 'bots', serviceaccount: { name: 'bot' } },
    });
    expect(claims.exp - claims.iat).toBe(600);

    const as = (command: string) => kubectl(`${command} ${anonymous()} --token=${token}`);
    const [who, seen, write, elsewhere, discovery] = await Promise.all([
      as('auth whoami -o jsonpath={.status.userInfo.username}{.status.userInfo.groups}'),
      as('get configmaps -n bots -o name'),
      as('create configmap c -n bots'),
      as('get configmaps -n default'),
      as('api-versions'),
    ]);
    expect(who).toMatchInlineSnapshot(
      `"system:serviceaccount:bots:bot["system:serviceaccounts","system:serviceaccounts:bots","system:authenticated"]"`,
    );
    expect(seen).toBe('configmap/kube-root-ca.crt');
    expect(write).toMatchInlineSnapshot(`
      "error: failed to create configmap: configmaps is forbidden: User "system:serviceaccount:bots:bot" cannot create resource "configmaps" in API group "" in the namespace "bots"
      exit code 1"
    `);
    expect(elsewhere).toMatchInlineSnapshot(`
      "Error from server (Forbidden): configmaps is forbidden: User "system:serviceaccount:bots:bot" cannot list resource "configmaps" in API group "" in the namespace "default"
      exit code 1"
    `);
    expect(discovery).toContain('apps/v1');

    await kubectl.do('delete serviceaccount bot -n bots');
    expect(await as('get configmaps -n bots')).toMatchInlineSnapshot(`
      "error: You must be logged in to the server (Unauthorized)
      exit code 1"
    `);
  });

  it('without a binding can do nothing but discover', async () => {
    await namespace('idle');
    const { stdout: token } = await kubectl.run('create token default -n idle');
    const as = (command: string) => kubectl(`${command} ${anonymous()} --token=${token}`);
    const [list, own, discover, version] = await Promise.all([
      as('get pods -n idle'),
      as('get serviceaccount default -n idle'),
      as('api-resources --api-group=apps -o name'),
      as('get --raw /version'),
    ]);
    expect(list).toMatchInlineSnapshot(`
      "Error from server (Forbidden): pods is forbidden: User "system:serviceaccount:idle:default" cannot list resource "pods" in API group "" in the namespace "idle"
      exit code 1"
    `);
    expect(own).toContain('Forbidden');
    expect(discover).toContain('deployments.apps');
    expect(version).toContain('gitVersion');
  });

  it('get a Secret filled in that asks for a token', async () => {
    await kubectl.do('create serviceaccount legacy');
    await kubectl.do('create -f -', {
      input: `
apiVersion: v1
kind: Secret
metadata:
  name: legacy-token
  annotations: {kubernetes.io/service-account.name: legacy}
type: kubernetes.io/service-account-token
`,
    });
    await kubectl.until('get secret legacy-token -o jsonpath={.data.token}', /./);
    const { data } = await kubectl.json<{ data: Record<string, string> }>('get secret legacy-token -o json');
    expect(Object.keys(data).sort()).toEqual(['ca.crt', 'namespace', 'token']);
    const token = Buffer.from(data.token as string, 'base64').toString();
    expect(await kubectl(`auth whoami -o jsonpath={.status.userInfo.username} ${anonymous()} --token=${token}`)).toBe(
      'system:serviceaccount:default:legacy',
    );
  });
});

describe('nobody gets in without credentials', () => {
  it('anonymous may look at health and version alone', async () => {
    const { 'ca.crt': certificateAuthority } = await certificates(vireo().home, ['ca.crt']);
    const transport = httpTransport({ server: `https://127.0.0.1:${vireo().port}`, certificateAuthority });
    const get = (path: string) => transport.call({ method: 'GET', path });
    const [health, version, list, discovery] = await Promise.all(
      ['/healthz', '/version', '/api/v1/pods', '/api'].map(get),
    );
    await transport.close();
    expect(health).toMatchObject({ status: 200, body: 'ok' });
    expect(version).toMatchObject({ status: 200, body: { major: '1' } });
    expect(list).toMatchObject({
      status: 403,
      body: {
        reason: 'Forbidden',
        message:
          'pods is forbidden: User "system:anonymous" cannot list resource "pods" in API group "" at the cluster scope',
      },
    });
    expect(discovery).toMatchObject({ status: 403 });
  });

  it('a token that is none is refused', async () => {
    expect(await kubectl(`get pods ${anonymous()} --token=not-a-token`)).toMatchInlineSnapshot(`
      "error: You must be logged in to the server (Unauthorized)
      exit code 1"
    `);
  });

  it('a right cannot be given by those who do not have it', async () => {
    await kubectl.do('create clusterrole role-maker --verb=create,get,patch --resource=roles,rolebindings');
    await kubectl.do('create clusterrolebinding role-makers --clusterrole=role-maker --user=mallory');
    const [role, binding] = await Promise.all([
      kubectl('create role all --verb=get --resource=secrets --as=mallory'),
      kubectl('create rolebinding all --clusterrole=cluster-admin --user=mallory --as=mallory'),
    ]);
    expect(role).toMatchInlineSnapshot(`
      "Error from server (Forbidden): roles.rbac.authorization.k8s.io "all" is forbidden: user "mallory" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:
      {APIGroups:[""], Resources:["secrets"], Verbs:["get"]}
      exit code 1"
    `);
    expect(binding).toMatchInlineSnapshot(`
      "error: failed to create rolebinding: rolebindings.rbac.authorization.k8s.io "all" is forbidden: user "mallory" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:
      {APIGroups:["*"], Resources:["*"], Verbs:["*"]}
      {NonResourceURLs:["*"], Verbs:["*"]}
      exit code 1"
    `);
  });
});
