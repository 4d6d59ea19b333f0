import { ConfigMap, PersistentVolumeClaim, Secret } from '@vireo/api';
import { HarvesterQuota } from '@vireo/api/kinds/harvester/resourceQuota.ts';
import { ScheduleVmBackup } from '@vireo/api/kinds/harvester/scheduleVmBackup.ts';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { VirtualMachineInstanceReplicaSet } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceReplicaSet.ts';
import { parseWarnings } from '@vireo/kube';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Installation, install } from '../testing/installation.ts';

let installation: Installation;
/** What is found by watching is there a moment later. */
const WATCHED = { timeout: 20_000 };
beforeAll(async () => {
  installation = await install();
});
afterAll(() => installation?.close());

const SUB = '/apis/subresources.kubevirt.io/v1/namespaces/default';
const at = { namespace: 'default' };
const client = () => installation.server.client;

interface GraphResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: {
    readonly message?: string;
    readonly children?: readonly { objectReference: { name: string }; status: string }[];
    readonly items?: readonly object[];
  };
}

/** Asks for a graph, as the administrator or as a member of a group. */
async function graph(path: string, { body, group }: { body?: unknown; group?: string } = {}): Promise<GraphResponse> {
  const [plain = '', query = ''] = path.split('?');
  const transport = group
    ? installation.server.inProcess({ username: 'jane', groups: [group, 'system:authenticated'] })
    : await installation.server.overHttp();
  const response = await transport.call({
    method: 'GET',
    path: `${SUB}/${plain}/objectgraph`,
    query: Object.fromEntries(new URLSearchParams(query)),
    body,
  });
  return response as GraphResponse;
}

/** `name status` of what hangs on the root. */
const children = ({ body }: GraphResponse): string[] =>
  (body.children ?? []).map(({ objectReference, status }) => `${objectReference.name} ${status}`);

const create = (name: string, volumes: readonly object[]) =>
  client()
    .of(VirtualMachine)
    .create({
      metadata: { name, ...at },
      spec: {
        runStrategy: 'Halted',
        template: {
          spec: {
            domain: { devices: {}, memory: { guest: '64Mi' } },
            volumes: volumes.map((volume, i) => ({ name: `v${i}`, ...volume })),
          },
        },
      },
    });

/** Lets a group do what rules say, in the namespace. */
async function grant(group: string, rules: readonly object[]): Promise<void> {
  const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
  await client().call({ method: 'POST', path: `${rbac}/roles`, body: { metadata: { name: group }, rules } });
  const body = {
    metadata: { name: group },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: group },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: group }],
  };
  await client().call({ method: 'POST', path: `${rbac}/rolebindings`, body });
}

const seesGraphs = {
  apiGroups: ['subresources.kubevirt.io'],
  resources: [
    'virtualmachines/objectgraph',
    'virtualmachineinstances/objectgraph',
    'virtualmachineinstancereplicasets/objectgraph',
  ],
  verbs: ['get'],
};

describe('the graph of a VM', () => {
  beforeAll(async () => {
    await client()
      .of(ConfigMap)
      .create({ metadata: { name: 'settings', ...at } });
    await client()
      .of(Secret)
      .create({ metadata: { name: 'keys', ...at } });
    await create('web', [
      { configMap: { name: 'settings' } },
      { secret: { secretName: 'keys' } },
      { secret: { secretName: 'lost', optional: true } },
    ]);
  });

  it('has a root, and says of every object whether it is there and why', async () => {
    const reference = { apiGroup: '', namespace: 'default' };
    const labels = { 'kubevirt.io/dependency-type': 'config' };
    expect(await graph('virtualmachines/web')).toMatchObject({
      status: 200,
      body: {
        objectReference: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web', namespace: 'default' },
        labels: { 'kubevirt.io/dependency-type': 'compute' },
        status: 'present',
        children: [
          {
            objectReference: { ...reference, kind: 'ConfigMap', name: 'settings' },
            labels,
            status: 'present',
            fieldPath: 'spec.template.spec.volumes[0].configMap.name',
          },
          {
            objectReference: { ...reference, kind: 'Secret', name: 'keys' },
            labels,
            status: 'present',
            fieldPath: 'spec.template.spec.volumes[1].secret.secretName',
          },
          {
            objectReference: { ...reference, kind: 'Secret', name: 'lost' },
            labels,
            optional: true,
            status: 'missing',
            fieldPath: 'spec.template.spec.volumes[2].secret.secretName',
          },
        ],
      },
    });
  });

  it.each([
    ['body', '', { includeOptionalNodes: false }],
    ['query', '?includeOptionalNodes=false', undefined],
    ['query, which goes before the body', '?includeOptionalNodes=false', { includeOptionalNodes: true }],
  ])('leaves optional objects out when the %s says so', async (_, query, body) => {
    expect(children(await graph(`virtualmachines/web${query}`, { body }))).toEqual([
      'settings present',
      'keys present',
    ]);
  });

  it.each([
    ['body', '', { labelSelector: { matchLabels: { 'kubevirt.io/dependency-type': 'storage' } } }, []],
    ['query', '?labelSelector=type=storage', undefined, []],
    [
      'query',
      '?labelSelector=type in (storage,config)',
      undefined,
      ['settings present', 'keys present', 'lost missing'],
    ],
    ['query', '?kinds=ConfigMap,pods', undefined, ['settings present']],
    ['query', '?depth=0', undefined, []],
  ])('shows what the %s selects: %s %j', async (_, query, body, expected) => {
    expect(children(await graph(`virtualmachines/web${query}`, { body }))).toEqual(expected);
  });

  it.each([
    ['?format=round', undefined, 400, 'format: "round" is not one of tree, hierarchical, flat'],
    ['?depth=-1', undefined, 400, 'depth: "-1" is not a number of levels'],
    ['?kinds=wheels', undefined, 400, 'kinds: "wheels" is not a kind of object graphs'],
    ['?includeOptionalNodes=1', undefined, 400, 'includeOptionalNodes: "1" is neither true nor false'],
    ['', { includeOptionalNodes: 'yes' }, 400, 'Can not unmarshal Request body to struct'],
    [
      '',
      { labelSelector: { matchExpressions: [{ key: 'a', operator: 'Like' }] } },
      422,
      'labelSelector.matchExpressions[0]',
    ],
  ])('refuses %s %j', async (query, body, status, message) => {
    const response = await graph(`virtualmachines/web${query}`, { body });
    expect(response).toMatchObject({ status, body: { message: expect.stringContaining(message) } });
  });

  it('of one that is not there is not found', async () => {
    expect(await graph('virtualmachines/nobody')).toMatchObject({
      status: 404,
      body: { details: { name: 'nobody', group: 'kubevirt.io', kind: 'virtualmachine' } },
    });
    expect(await graph('virtualmachineinstances/nobody')).toMatchObject({
      status: 404,
      body: { details: { kind: 'virtualmachineinstance' } },
    });
  });

  it('takes names as users wrote them', async () => {
    const names = ['..', 'a/b', 'ä %2f?#', 'x'.repeat(300)];
    await create(
      'odd',
      names.map((name) => ({ configMap: { name } })),
    );
    expect(children(await graph('virtualmachines/odd'))).toEqual(names.map((name) => `${name} missing`));
  });

  it('has the claim of its state, the newest that stays', async () => {
    await create('remembers', []);
    const claim = (name: string, labels = {}) =>
      client()
        .of(PersistentVolumeClaim)
        .create({
          metadata: { name, ...at, labels },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
        });
    await claim('state', { 'persistent-state-for': 'remembers' });
    await claim('unrelated', { 'persistent-state-for': 'other' });
    await vi.waitFor(
      async () => expect(children(await graph('virtualmachines/remembers'))).toEqual(['state present']),
      WATCHED,
    );
  });
});

describe('who asks', () => {
  it('learns nothing of objects that they may not read, but what the VM says', async () => {
    await grant('graphs-only', [seesGraphs]);
    const response = await graph('virtualmachines/web', { group: 'graphs-only' });
    expect(children(response)).toEqual(['settings forbidden', 'keys forbidden', 'lost forbidden']);
    expect(children(await graph('virtualmachines/remembers', { group: 'graphs-only' }))).toEqual([]);
  });

  it('sees what rights by name allow', async () => {
    const rule = { apiGroups: [''], resources: ['secrets'], resourceNames: ['keys'], verbs: ['get'] };
    await grant('one-secret', [seesGraphs, rule]);
    const response = await graph('virtualmachines/web', { group: 'one-secret' });
    expect(children(response)).toEqual(['settings forbidden', 'keys present', 'lost forbidden']);
  });

  it('sees schedules of backups and quotas if they may list them', async () => {
    await create('limited', []);
    const source = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'limited' };
    await client()
      .of(ScheduleVmBackup)
      .create({ metadata: { name: 'weekly', ...at }, spec: { cron: '0 3 * * 1', vmbackup: { source } } });
    await client()
      .of(HarvesterQuota)
      .create({
        metadata: { name: 'default-resource-quota', ...at },
        spec: { snapshotLimit: { vmTotalSnapshotSizeQuota: { limited: 1024 } } },
      });
    const seen = async (group?: string) =>
      children(await graph('virtualmachines/limited', group === undefined ? {} : { group }));
    await vi.waitFor(
      async () => expect(await seen()).toEqual(['weekly present', 'default-resource-quota present']),
      WATCHED,
    );
    expect(await seen('graphs-only')).toEqual([]);
    const rule = { apiGroups: ['harvesterhci.io'], resources: ['schedulevmbackups'], verbs: ['list', 'get'] };
    await grant('schedules', [seesGraphs, rule]);
    expect(await seen('schedules')).toEqual(['weekly present']);
  });

  it('needs the right to get the VM for its manifests', async () => {
    expect(await graph('virtualmachines/web?output=manifests', { group: 'one-secret' })).toMatchObject({ status: 403 });
  });
});

describe('manifests', () => {
  it('can be applied elsewhere; secrets are among them on request', async () => {
    const kinds = ({ body }: GraphResponse) => (body.items as { kind: string }[]).map(({ kind }) => kind);
    const response = await graph('virtualmachines/web?output=manifests');
    expect(kinds(response)).toEqual(['ConfigMap', 'VirtualMachine']);
    expect(response.body).toMatchObject({ apiVersion: 'v1', kind: 'List' });
    expect(response.body.items?.[0]).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'settings', namespace: 'default' },
    });
    const all = await graph('virtualmachines/web?output=manifests&includeSecrets=true');
    expect(kinds(all)).toEqual(['ConfigMap', 'Secret', 'VirtualMachine']);
    expect(all.headers.warning).toBeUndefined();
  });

  it('that lack something say what in Warning headers, and are refused with strict', async () => {
    await create('patchy', [{ configMap: { name: 'settings' } }, { secret: { secretName: 'never-made' } }]);
    const at = 'virtualmachines/patchy?output=manifests';
    const text = 'Secret default/never-made is missing (spec.template.spec.volumes[1].secret.secretName)';
    const response = await graph(at);
    expect(response.status).toBe(200);
    expect(parseWarnings(response.headers.warning)).toEqual(['the list of manifests is incomplete: 1 missing', text]);
    expect(await graph(`${at}&strict=true`)).toMatchObject({
      status: 409,
      body: {
        reason: 'Conflict',
        message: expect.stringContaining(text),
        details: { causes: [{ reason: 'FieldValueNotFound', message: text }] },
      },
    });
    expect(await graph('virtualmachines/patchy?strict=true')).toMatchObject({ status: 409 });
    expect(await graph('virtualmachines/web?output=manifests&strict=true')).toMatchObject({ status: 200 });
  });

  it('tell what the one who asks may not read', async () => {
    const vms = { apiGroups: ['kubevirt.io'], resources: ['virtualmachines'], verbs: ['get'] };
    await grant('vms-only', [seesGraphs, vms]);
    const response = await graph('virtualmachines/web?output=manifests', { group: 'vms-only' });
    expect(parseWarnings(response.headers.warning)).toEqual([
      'the list of manifests is incomplete: 1 forbidden',
      'User "jane" cannot get ConfigMap default/settings (spec.template.spec.volumes[0].configMap.name)',
    ]);
  });
});

describe('the graph of a replica set', () => {
  const sets = () => client().of(VirtualMachineInstanceReplicaSet);
  beforeAll(async () => {
    const labels = { app: 'workers' };
    const set = await sets().create({
      metadata: { name: 'workers', ...at },
      spec: {
        replicas: 0,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            domain: { devices: {}, memory: { guest: '64Mi' } },
            volumes: [{ name: 'a', secret: { secretName: 'keys' } }],
          },
        },
      },
    });
    const { apiVersion, kind, metadata } = set;
    const owner = { apiVersion, kind, name: 'workers', uid: metadata.uid, controller: true };
    await client()
      .of(VirtualMachineInstance)
      .create({
        metadata: { name: 'workers-a', ...at, labels, ownerReferences: [owner] },
        spec: set.spec.template.spec,
      } as never);
  });

  it('has its VMIs and what its template names', async () => {
    await vi.waitFor(
      async () =>
        expect(children(await graph('virtualmachineinstancereplicasets/workers'))).toEqual([
          'workers-a present',
          'keys present',
        ]),
      WATCHED,
    );
    const { body } = await graph('virtualmachineinstancereplicasets/workers?output=manifests');
    expect(body.items).toMatchObject([{ kind: 'VirtualMachineInstanceReplicaSet', metadata: { name: 'workers' } }]);
  });

  it('shows no VMIs to those who may not list them', async () => {
    const response = await graph('virtualmachineinstancereplicasets/workers', { group: 'graphs-only' });
    expect(children(response)).toEqual(['keys forbidden']);
  });

  it('is there for viewers, and in discovery', async () => {
    const { body } = await installation.server.inProcess().call({
      method: 'GET',
      path: '/apis/subresources.kubevirt.io/v1',
    });
    const name = 'virtualmachineinstancereplicasets/objectgraph';
    expect((body as { resources: object[] }).resources).toContainEqual(
      expect.objectContaining({ name, namespaced: true, verbs: ['get'] }),
    );
    expect(await graph('virtualmachineinstancereplicasets/nobody')).toMatchObject({
      status: 404,
      body: { message: 'virtualmachineinstancereplicasets.kubevirt.io "nobody" not found' },
    });
  });
});

describe('dependents', () => {
  const dependents = (path: string, group?: string) => {
    const transport = group
      ? installation.server.inProcess({ username: 'jane', groups: [group, 'system:authenticated'] })
      : installation.server.inProcess();
    return transport.call({ method: 'GET', path: `${SUB}/${path}/dependents` });
  };

  it('are the VMs that name an object, and where', async () => {
    await create('shares', [{ secret: { secretName: 'keys', optional: true } }, { dataVolume: { name: 'disk' } }]);
    const reference = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', namespace: 'default' };
    const [first, second] = ['spec.template.spec.volumes[0]', 'spec.template.spec.volumes[1]'];
    await vi.waitFor(
      async () =>
        expect(await dependents('secrets/keys')).toMatchObject({
          status: 200,
          body: {
            items: [
              {
                objectReference: { ...reference, name: 'shares' },
                optional: true,
                fieldPaths: [`${first}.secret.secretName`],
              },
              {
                objectReference: { ...reference, name: 'web' },
                optional: false,
                fieldPaths: [`${second}.secret.secretName`],
              },
              { objectReference: { ...reference, kind: 'VirtualMachineInstance', name: 'workers-a' } },
              {
                objectReference: { ...reference, kind: 'VirtualMachineInstanceReplicaSet', name: 'workers' },
                optional: false,
                fieldPaths: [`${first}.secret.secretName`],
              },
            ],
          },
        }),
      WATCHED,
    );
    expect(await dependents('persistentvolumeclaims/disk')).toMatchObject({
      body: { items: [{ objectReference: { name: 'shares' }, fieldPaths: [`${second}.dataVolume.name`] }] },
    });
    expect(await dependents('configmaps/nowhere')).toMatchObject({ status: 200, body: { items: [] } });
    expect(await dependents('pods/web')).toMatchObject({ status: 404 });
  });

  it('are for those who may list VMs', async () => {
    const asks = { apiGroups: ['subresources.kubevirt.io'], resources: ['secrets/dependents'], verbs: ['get'] };
    await grant('asks', [asks]);
    expect(await dependents('secrets/keys', 'asks')).toMatchObject({ status: 403 });
    const lists = { apiGroups: ['kubevirt.io'], resources: ['virtualmachines'], verbs: ['list'] };
    await grant('lists', [asks, lists]);
    expect(await dependents('secrets/keys', 'lists')).toMatchObject({ status: 200 });
  });
});

describe('the feature gate', () => {
  it('closes it, before anything is looked up', async () => {
    const kubevirts = client().of(KubeVirt);
    const developerConfiguration = { disabledFeatureGates: ['ObjectGraph'] };
    await kubevirts.create({
      metadata: { name: 'kubevirt', namespace: 'kubevirt' },
      spec: { configuration: { developerConfiguration } },
    });
    await vi.waitFor(async () => expect(await graph('virtualmachines/nobody')).toMatchObject({ status: 400 }), WATCHED);
    expect(await graph('virtualmachineinstances/nobody')).toMatchObject({
      status: 400,
      body: { reason: 'BadRequest', message: expect.stringContaining('ObjectGraph feature gate is not enabled') },
    });
  });
});
