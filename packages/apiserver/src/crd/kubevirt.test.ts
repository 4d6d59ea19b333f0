import { CustomResourceDefinition, groupVersion, type UnknownObject } from '@vireo/api';
import {
  DataVolume,
  kubevirtCrds,
  kubevirtKinds,
  VirtualMachine,
  VirtualMachineBackup,
  VirtualMachineBackupTracker,
  VirtualMachineInstance,
  VirtualMachineInstanceReplicaSet,
  VirtualMachineTemplateRequest,
} from '@vireo/api/kinds/kubevirt/index.ts';
import type { ResourceRef } from '@vireo/kube';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { fixtures } from '../testing/kubevirtFixtures.ts';
import { startTestServer, type TestServer } from '../testing/server.ts';
import { structuralErrors } from './validation/structural.ts';

const crds = kubevirtCrds();
const namespace = 'default';
let test: TestServer;

beforeAll(async () => {
  test = await startTestServer();
  const definitions = test.client.of(CustomResourceDefinition);
  await Promise.all(crds.map((crd) => definitions.create(crd, { fieldValidation: 'Strict' })));
  await vi.waitFor(async () => {
    const { items } = await definitions.list();
    expect(items.filter((crd) => !isEstablished(crd)).map(({ metadata }) => metadata.name)).toEqual([]);
  }, 10_000);
}, 30_000);

afterAll(() => test?.close());

const isEstablished = ({ status }: CustomResourceDefinition): boolean =>
  status?.conditions?.some(({ type, status: state }) => type === 'Established' && state === 'True') ?? false;

const whole = (kind: ResourceRef, name: string, fields: object) =>
  ({
    apiVersion: groupVersion(kind.group, kind.version),
    kind: kind.kind,
    metadata: { name, ...(kind.namespaced && { namespace }) },
    ...fields,
  }) as UnknownObject;

const client = (kind: ResourceRef) => test.client.of<UnknownObject>(kind);
const refusal = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'nothing was refused',
    (error: Error) => error.message,
  );

describe('the definitions', () => {
  it('are kept as they are, so that applying them again changes nothing', async () => {
    const { items } = await test.client.of(CustomResourceDefinition).list();
    const kept = new Map<string | undefined, unknown>(items.map(({ metadata, spec }) => [metadata.name, spec]));
    for (const { metadata, spec } of crds) {
      expect(kept.get(metadata.name)).toEqual({ conversion: { strategy: 'None' }, ...spec });
    }
  });

  it.each(crds.map((crd) => [crd.metadata.name, crd] as const))('%s has structural schemas', (_, { spec }) => {
    for (const { name, schema } of spec.versions) {
      expect(structuralErrors(schema?.openAPIV3Schema ?? {}, name)).toEqual([]);
    }
  });
});

describe('every kind in every version', () => {
  it.each(kubevirtKinds.map((kind) => [`${kind.group}/${kind.version} ${kind.kind}`, kind] as const))(
    '%s keeps what it is given',
    async (_, kind) => {
      const fields = fixtures[`${kind.group}/${kind.kind}`] ?? fixtures[kind.kind];
      if (!fields) throw new Error(`no fixture of ${kind.kind}`);
      const sent = whole(kind, `keep-${kind.version}`, fields);
      const made = await client(kind).create(sent, { fieldValidation: 'Strict' });
      expect(made).toMatchObject(sent);
      expect(made.metadata.generation).toBe(1);
    },
  );

  it.each(['v1', 'v1alpha3'])('describes VirtualMachine in OpenAPI as kubevirt.io/%s', async (version) => {
    const document = (await test.client.call({ method: 'GET', path: `/openapi/v3/apis/kubevirt.io/${version}` })) as {
      components: { schemas: Record<string, { properties: Record<string, { description?: string }> }> };
    };
    const schema = document.components.schemas[`io.kubevirt.${version}.VirtualMachine`];
    expect(schema?.properties.spec?.description).toBe('Desired state of the VirtualMachine.');
    expect(JSON.stringify(schema)).toContain('Disks, CD-ROM drives and LUNs.');
  });

  it('warns of versions that go', async () => {
    const transport = await test.overHttp();
    const { headers } = await transport.call({ method: 'GET', path: '/apis/kubevirt.io/v1alpha3/virtualmachines' });
    expect(headers.warning).toContain('kubevirt.io/v1alpha3 is deprecated; use kubevirt.io/v1');
  });
});

describe('tables', () => {
  const table = async (kind: ResourceRef, name: string): Promise<Record<string, unknown>> => {
    const { body } = await test.inProcess().call({
      method: 'GET',
      path: `/apis/${groupVersion(kind.group, kind.version)}/namespaces/${namespace}/${kind.plural}/${name}`,
      accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
    });
    const { columnDefinitions, rows } = body as {
      columnDefinitions: { name: string }[];
      rows: { cells: unknown[] }[];
    };
    const cells = rows[0]?.cells ?? [];
    return Object.fromEntries(columnDefinitions.map(({ name: column }, i) => [column, cells[i]]));
  };

  it('show the state of a VM', async () => {
    const vms = client(VirtualMachine);
    const made = await vms.create(whole(VirtualMachine, 'shown', fixtures.VirtualMachine ?? {}));
    const conditions = [
      { type: 'LiveMigratable', status: 'False' },
      { type: 'Ready', status: 'True', lastProbeTime: null },
    ];
    await vms.updateStatus({ ...made, status: { printableStatus: 'Running', conditions } });
    expect(await table(VirtualMachine, 'shown')).toEqual({
      Name: 'shown',
      Age: expect.any(String),
      Status: 'Running',
      Ready: 'True',
    });
  });

  it('show where a VMI runs; its status is written with the object', async () => {
    const status = {
      phase: 'Running',
      nodeName: 'node-1',
      interfaces: [{ ipAddress: '10.0.2.2' }, { ipAddress: '10.0.3.2' }],
      conditions: [{ type: 'Ready', status: 'True' }],
    };
    const fields = { ...fixtures.VirtualMachineInstance, status };
    await client(VirtualMachineInstance).create(whole(VirtualMachineInstance, 'shown', fields));
    expect(await table(VirtualMachineInstance, 'shown')).toMatchObject({
      Phase: 'Running',
      IP: '10.0.2.2',
      NodeName: 'node-1',
      Ready: 'True',
      'Live-Migratable': null,
    });
  });

  it('show how far a DataVolume is', async () => {
    const volumes = client(DataVolume);
    const made = await volumes.create(whole(DataVolume, 'shown', fixtures.DataVolume ?? {}));
    await volumes.updateStatus({ ...made, status: { phase: 'ImportInProgress', progress: '42.17%', restartCount: 1 } });
    expect(await table(DataVolume, 'shown')).toMatchObject({
      Phase: 'ImportInProgress',
      Progress: '42.17%',
      Restarts: 1,
    });
  });
});

describe('what does not fit', () => {
  const vmWith = (spec: object) => whole(VirtualMachine, 'odd', { spec });
  const template = (domain: object) => ({ template: { spec: { domain: { devices: {}, ...domain } } } });
  const create = (spec: object, fieldValidation: 'Ignore' | 'Strict' = 'Ignore') =>
    client(VirtualMachine).create(vmWith(spec), { fieldValidation, dryRun: true });

  it.each([
    ['no template', { runStrategy: 'Always' }, 'spec.template: Required value'],
    ['no devices', { template: { spec: { domain: {} } } }, 'spec.template.spec.domain.devices: Required value'],
    [
      'a wrong type',
      template({ cpu: { cores: 'two' } }),
      'spec.template.spec.domain.cpu.cores: Invalid value: "string": spec.template.spec.domain.cpu.cores in body must be of type integer: "string"',
    ],
    [
      'an unknown word',
      template({ rebootPolicy: 'Never' }),
      'spec.template.spec.domain.rebootPolicy: Unsupported value: "Never": supported values: "Reboot", "Terminate"',
    ],
    [
      'a disk without a name',
      template({ devices: { disks: [{ disk: {} }] } }),
      'spec.template.spec.domain.devices.disks[0].name: Required value',
    ],
    [
      'too many disks',
      template({ devices: { disks: Array.from({ length: 257 }, (_, i) => ({ name: `d${i}` })) } }),
      'spec.template.spec.domain.devices.disks: Too many: 257: must have at most 256 items',
    ],
  ])('%s is refused by name', async (_, spec, message) => {
    expect(await refusal(create(spec))).toContain(message);
  });

  it('is pruned, or refused when the client is strict', async () => {
    const spec = template({ devices: { diskz: [], rng: { odd: 1 } } });
    const made = (await create(spec)) as unknown as { spec: { template: { spec: { domain: object } } } };
    expect(made.spec.template.spec.domain).toEqual({ devices: { rng: {} } });
    expect(await refusal(create(spec, 'Strict'))).toContain('unknown field "spec.template.spec.domain.devices.diskz"');
  });

  it('stays in the metadata of templates, which is nobody’s business but the template’s', async () => {
    const metadata = { creationTimestamp: null, labels: { app: 'web' }, odd: [1] };
    const made = await create({ template: { metadata, spec: { domain: { devices: {} } } } });
    expect(made).toMatchObject({ spec: { template: { metadata } } });
  });

  it('is not filled in: a claim gets its defaults when it is made', async () => {
    const dataVolumeTemplates = [{ metadata: { name: 'root' }, spec: { pvc: { accessModes: ['ReadWriteOnce'] } } }];
    const made = await create({ ...template({}), dataVolumeTemplates });
    expect(made).toMatchObject({ spec: { dataVolumeTemplates: [{ spec: { pvc: expect.any(Object) } }] } });
    expect(JSON.stringify(made)).not.toContain('volumeMode');
  });
});

it('scales a set of VMIs', async () => {
  const sets = client(VirtualMachineInstanceReplicaSet);
  await sets.create(whole(VirtualMachineInstanceReplicaSet, 'scaled', fixtures.VirtualMachineInstanceReplicaSet ?? {}));
  const patch = { spec: { replicas: 5 } };
  await sets.patch('scaled', patch, { namespace, type: 'merge', subresource: 'scale' });
  expect((await sets.get('scaled', { namespace })).spec).toMatchObject({ replicas: 5 });
});

describe("KubeVirt's rules", () => {
  const source = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' };

  it.each<[string, ResourceRef, object, string[]]>([
    ['a backup without a claim', VirtualMachineBackup, { source }, ['spec: Invalid value: pvcName is required']],
    [
      'a backup to pull without a secret',
      VirtualMachineBackup,
      { source, pvcName: 'c', mode: 'Pull' },
      ['spec: Invalid value: tokenSecretRef is required when mode is Pull'],
    ],
    [
      'a backup of something else',
      VirtualMachineBackup,
      { source: { apiGroup: 'backup.kubevirt.io', kind: 'VirtualMachine', name: '' }, pvcName: 'c' },
      [
        'spec.source: Invalid value: kind must be VirtualMachine for kubevirt.io or VirtualMachineBackupTracker for backup.kubevirt.io',
        'spec.source: Invalid value: name is required',
      ],
    ],
    [
      'a tracker of something else',
      VirtualMachineBackupTracker,
      { source: { ...source, apiGroup: 'apps', kind: 'Deployment' } },
      [
        'spec.source: Invalid value: apiGroup must be kubevirt.io',
        'spec.source: Invalid value: kind must be VirtualMachine',
      ],
    ],
  ])('refuse %s', async (_, kind, spec, wrong) => {
    const message = await refusal(client(kind).create(whole(kind, 'wrong', { spec })));
    for (const text of wrong) expect(message).toContain(text);
  });

  it.each<[ResourceRef, object, object, string]>([
    [VirtualMachineBackup, { source, pvcName: 'c' }, { pvcName: 'd' }, 'spec is immutable after creation'],
    [
      VirtualMachineBackupTracker,
      { source },
      { source: { ...source, name: 'db' } },
      'spec is immutable after creation',
    ],
    [
      VirtualMachineTemplateRequest,
      { virtualMachineRef: { namespace: 'default', name: 'web' } },
      { templateName: 't' },
      'spec is immutable',
    ],
  ])('keep a spec as it was created (case %#)', async (kind, spec, change, message) => {
    const stored = await client(kind).create(whole(kind, 'kept', { spec }));
    const changed = { ...stored, spec: { ...spec, ...change } };
    expect(await refusal(client(kind).update(changed))).toContain(`spec: Invalid value: ${message}`);
  });
});
