import { VirtualMachineInstanceMigration as Migration } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceMigration.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { MigrationPolicy } from '@vireo/api/kinds/migrations/migrationPolicy.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Installation, install } from '../testing/installation.ts';

let installation: Installation;
beforeAll(async () => {
  installation = await install();
  await running('web');
  await running('stuck', {
    conditions: [{ type: 'LiveMigratable', status: 'False', reason: 'DisksNotLiveMigratable', message: 'local disk' }],
  });
  await running('off', { phase: 'Succeeded' });
});
afterAll(() => installation?.close());

const at = { namespace: 'default' };
const client = () => installation.server.client;
const domain = { devices: {}, memory: { guest: '64Mi' } };

async function running(name: string, status: object = {}): Promise<void> {
  const template = { spec: { domain } };
  await client()
    .of(Vm)
    .create({ metadata: { name, ...at }, spec: { runStrategy: 'Manual', template } });
  const vmi = await client()
    .of(Vmi)
    .create({ metadata: { name, ...at }, spec: { domain } });
  await installation.client.of(Vmi).patchExactly(vmi, { status: { phase: 'Running', nodeName: 'n1', ...status } });
}
const migrate = (spec: Partial<Migration['spec']>, name = 'move') =>
  client()
    .of(Migration)
    .create({ metadata: { name, ...at }, spec: { ...spec } });
const denied = (why: string) => `admission webhook "migration-create-validator.kubevirt.io" denied the request: ${why}`;

describe('a migration', () => {
  it.each<[string, Partial<Migration['spec']>, number, string]>([
    ['of nothing', {}, 422, 'vmiName is missing'],
    [
      'with a priority',
      { vmiName: 'web', priority: 'system-critical' },
      422,
      'Migration priority queue, only virt-controller is allowed to set priority field',
    ],
    ['of a VMI that is not there', { vmiName: 'moon' }, 400, 'the VMI "default/moon" does not exist'],
    ['of a VMI that has ended', { vmiName: 'off' }, 400, 'Cannot migrate VMI in finalized state.'],
    [
      'of a VMI that cannot move',
      { vmiName: 'stuck' },
      400,
      'Cannot migrate VMI, Reason: DisksNotLiveMigratable, Message: local disk',
    ],
    [
      'to another cluster',
      { vmiName: 'web', sendTo: { migrationID: 'x', connectURL: 'y' } },
      400,
      'DecentralizedLiveMigration feature gate is not enabled in kubevirt resource',
    ],
  ])('%s is refused', async (_, spec, code, why) => {
    await expect(migrate(spec)).rejects.toMatchObject({ code, message: expect.stringContaining(denied(why)) });
  });

  it('is labelled with its VMI and kept until its controller lets it go, and there is one at a time', async () => {
    const { metadata } = await migrate({ vmiName: 'web' });
    expect(metadata.labels).toEqual({ 'kubevirt.io/vmi-name': 'web' });
    expect(metadata.finalizers).toEqual(['kubevirt.io/migrationJobFinalize']);
    const inFlight = `in-flight migration detected. Active migration job (${metadata.uid}) is currently already in progress for VMI web.`;
    await expect(migrate({ vmiName: 'web' }, 'again')).rejects.toMatchObject({ message: denied(inFlight) });
    const path = '/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachines/web/migrate';
    await expect(client().call({ method: 'PUT', path, body: {} })).rejects.toMatchObject({
      message: expect.stringContaining('in-flight migration detected'),
    });
    const patch = (labels: object) =>
      client()
        .of(Migration)
        .patch('move', { metadata: { labels } }, { ...at, type: 'merge' });
    await expect(patch({ 'kubevirt.io/vmi-name': null })).rejects.toMatchObject({
      message: expect.stringContaining("selector label can't be removed from an in-flight migration"),
    });
    await expect(patch({ 'kubevirt.io/vmi-name': 'db' })).rejects.toMatchObject({
      message: expect.stringContaining("selector label can't be modified on an in-flight migration"),
    });

    const ended = { status: { phase: 'Failed' } };
    await client()
      .of(Migration)
      .patchStatus('move', ended, { ...at, type: 'merge' });
    await client().call({ method: 'PUT', path, body: { addedNodeSelector: { zone: 'b' } } });
    const { items } = await client().of(Migration).list(at);
    const made = items.find(({ metadata: each }) => each.name.startsWith('kubevirt-migrate-vm-'));
    expect(made?.spec).toEqual({ vmiName: 'web', addedNodeSelector: { zone: 'b' } });
  });

  it('of a VMI with a disk of its node is let in where the disk moves to another claim', async () => {
    const conditions = [
      { type: 'LiveMigratable', status: 'False', reason: 'DisksNotLiveMigratable', message: 'local disk' },
      { type: 'StorageLiveMigratable', status: 'True' },
      { type: 'VolumesChange', status: 'True' },
    ];
    await running('leaving', { conditions });
    await expect(migrate({ vmiName: 'leaving' }, 'early')).rejects.toMatchObject({ code: 400 });
    const vmi = await installation.client.of(Vmi).get('leaving', at);
    await installation.client.of(Vmi).patchExactly(vmi, { status: { migratedVolumes: [{ volumeName: 'data' }] } });
    expect((await migrate({ vmiName: 'leaving' }, 'leave')).spec.vmiName).toBe('leaving');
  });

  it('keeps volumes where they are', async () => {
    await running('moving', { migrationState: { migrationUid: 'u', sourceNode: 'n1', targetNode: 'n2' } });
    const path = '/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachineinstances/moving/removevolume';
    await expect(client().call({ method: 'PUT', path, body: { name: 'data' } })).rejects.toMatchObject({
      code: 409,
      message: expect.stringContaining('Cannot handle volume requests while VMI migration is in progress'),
    });
  });
});

it.each<[object, string | undefined]>([
  [{ allowAutoConverge: true, bandwidthPerMigration: '64Mi' }, undefined],
  [{ completionTimeoutPerGiB: -1 }, 'must not be negative'],
  [
    { maxDowntimeMs: 100 },
    'maxDowntimeMs cannot be modified without enabling the MigrationStallDetection feature gate',
  ],
  [
    { experimental: { stallDetector: { stallMargin: 2 } } },
    'experimental.stallDetector cannot be modified without enabling the MigrationStallDetection feature gate',
  ],
])('a policy with %j: %s', async (spec, why) => {
  const create = client()
    .of(MigrationPolicy)
    .create({ metadata: { generateName: 'p-' }, spec: { selectors: { namespaceSelector: { a: 'b' } }, ...spec } });
  if (why) await expect(create).rejects.toMatchObject({ code: 422, message: expect.stringContaining(why) });
  else expect((await create).spec).toMatchObject(spec);
});
