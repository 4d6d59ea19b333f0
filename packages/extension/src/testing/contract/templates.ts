import { Secret } from '@vireo/api';
import { KeyPair } from '@vireo/api/kinds/harvester/keyPair.ts';
import { parsePublicKey } from '@vireo/api/kinds/harvester/sshKey.ts';
import { VirtualMachineImage } from '@vireo/api/kinds/harvester/virtualMachineImage.ts';
import { HarvesterTemplate } from '@vireo/api/kinds/harvester/virtualMachineTemplate.ts';
import { VirtualMachineTemplateVersion } from '@vireo/api/kinds/harvester/virtualMachineTemplateVersion.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { expect } from 'vitest';
import { at, type ContractCase, type ContractContext } from './case.ts';
import { boundClaim } from './claims.ts';

const MAC = '52:54:00:00:00:01';

/** A VM with a disk on a claim of its name, a Secret, and a network card. */
async function withDisk(name: string, context: ContractContext): Promise<void> {
  await boundClaim(name, context);
  await context.client
    .of(Secret)
    .create({ metadata: { name: `${name}-login`, ...at }, stringData: { userdata: '#cloud-config' } });
  await context.vms.createVm(name, 'Halted', {
    template: {
      metadata: { annotations: { 'harvesterhci.io/sshNames': '["default/mine"]' } },
      spec: {
        domain: {
          firmware: { uuid: '11111111-2222-3333-4444-555555555555' },
          devices: {
            disks: [
              { name: 'root', disk: { bus: 'virtio' } },
              { name: 'init', disk: { bus: 'virtio' } },
            ],
            interfaces: [{ name: 'default', masquerade: {}, macAddress: MAC }],
          },
          memory: { guest: '64Mi' },
        },
        networks: [{ name: 'default', pod: {} }],
        volumes: [
          { name: 'root', persistentVolumeClaim: { claimName: name } },
          { name: 'init', cloudInitNoCloud: { secretRef: { name: `${name}-login` } } },
        ],
      },
    },
  });
}

/** The same, while its guest uses the claim. */
async function running(name: string, context: ContractContext): Promise<void> {
  await withDisk(name, context);
  const { spec } = (await context.client.of(VirtualMachine).get(name, at)).spec.template;
  await context.vms.createVmi(name, {}, { spec });
}

const versionOf = async (template: string, { client }: ContractContext) => {
  const { items } = await client.of(VirtualMachineTemplateVersion).list(at);
  const found = items.filter(({ spec }) => spec.templateId === `default/${template}`);
  expect(found).toHaveLength(1);
  return found[0]!;
};

const templateNamed = (name: string) => `${name}-template`;

/** What is refused leaves nothing behind. */
const noTemplate = async (name: string, { client }: ContractContext): Promise<void> => {
  expect(await client.of(HarvesterTemplate).find(templateNamed(name), at)).toBeUndefined();
  const { items } = await client.of(VirtualMachineTemplateVersion).list(at);
  expect(items.filter(({ spec }) => spec.templateId === `default/${templateNamed(name)}`)).toEqual([]);
};

const CREATE = 'virtualmachines/createTemplate';

/** Templates and key pairs. */
export const TEMPLATE_CASES: readonly ContractCase[] = [
  {
    action: CREATE,
    is: 'success',
    given: running,
    body: (name: string) => ({ name: templateNamed(name), description: 'of a test' }),
    expect: { status: 204 },
    after: async (name, context) => {
      const template = await context.client.of(HarvesterTemplate).get(templateNamed(name), at);
      expect(template.spec).toMatchObject({ description: 'of a test' });
      const version = await versionOf(templateNamed(name), context);
      expect(version.metadata.name).toMatch(new RegExp(`^${templateNamed(name)}-[a-z0-9]{6}$`));
      expect(version.spec).toMatchObject({ keyPairIds: ['default/mine'] });
      const spec = version.spec.vm?.spec.template.spec;
      // What only one VM may have is not kept; the Secret is the version's own.
      expect(spec?.domain.devices.interfaces).toEqual([{ name: 'default', masquerade: {} }]);
      expect(spec?.domain.firmware?.uuid).toBeUndefined();
      expect(spec?.volumes?.[0]).toEqual({ name: 'root', persistentVolumeClaim: { claimName: name } });
      const copy = spec?.volumes?.[1]?.cloudInitNoCloud?.secretRef?.name ?? '';
      const secret = await context.client.of(Secret).get(copy, at);
      expect(Buffer.from(secret.data?.userdata ?? '', 'base64').toString()).toBe('#cloud-config');
      expect(secret.metadata.ownerReferences).toMatchObject([{ uid: version.metadata.uid }]);
    },
  },
  {
    action: CREATE,
    is: 'success',
    when: 'with data',
    given: withDisk,
    body: (name: string) => ({ name: templateNamed(name), withData: true }),
    expect: { status: 204 },
    after: async (name, context) => {
      const version = await versionOf(templateNamed(name), context);
      const { metadata, spec } = version.spec.vm ?? {};
      const claims = JSON.parse(metadata?.annotations?.['harvesterhci.io/volumeClaimTemplates'] ?? '[]');
      const claimName = spec?.template.spec?.volumes?.[0]?.persistentVolumeClaim?.claimName;
      expect(claims).toMatchObject([{ metadata: { name: claimName }, spec: { storageClassName: 'contract' } }]);
      const [, image] = claims[0].metadata.annotations['harvesterhci.io/imageId'].split('/');
      const made = await context.client.of(VirtualMachineImage).get(image, at);
      expect(made.spec).toMatchObject({ sourceType: 'export-from-volume', pvcName: name, pvcNamespace: 'default' });
      expect(made.metadata.ownerReferences).toMatchObject([{ uid: version.metadata.uid }]);
    },
  },
  {
    action: CREATE,
    is: 'wrong state',
    when: 'with data, while it runs',
    given: running,
    body: (name: string) => ({ name: templateNamed(name), withData: true }),
    expect: { status: 409, message: 'uses it: stop the VM first, or create the template without data' },
    after: noTemplate,
  },
  {
    action: CREATE,
    is: 'wrong state',
    when: 'it is starting',
    given: async (name, { vms }) => {
      await vms.createVm(name, 'Always');
      await vms.createVmi(name, { phase: 'Scheduling' });
    },
    body: (name: string) => ({ name: templateNamed(name) }),
    expect: { status: 409, message: 'its VMI is Scheduling' },
    after: noTemplate,
  },
  {
    action: CREATE,
    is: 'wrong state',
    when: 'a Secret is missing',
    given: async (name, context) => {
      await withDisk(name, context);
      await context.client.of(Secret).delete(`${name}-login`, at);
    },
    body: (name: string) => ({ name: templateNamed(name) }),
    expect: { status: 409, message: '-login", which it names, does not exist' },
    after: noTemplate,
  },
  {
    action: CREATE,
    is: 'wrong state',
    when: 'the name is taken',
    given: async (name, context) => {
      await withDisk(name, context);
      await context.client.of(HarvesterTemplate).create({ metadata: { name: templateNamed(name), ...at }, spec: {} });
    },
    body: (name: string) => ({ name: templateNamed(name) }),
    expect: { status: 409, message: 'already exists' },
  },
  {
    action: CREATE,
    is: 'bad body',
    given: withDisk,
    body: { name: 'No Name' },
    expect: { status: 422, message: 'name: Invalid value' },
  },
  {
    action: 'virtualmachinetemplates/versions',
    is: 'success',
    given: async (name, { client }) => {
      await client.of(HarvesterTemplate).create({ metadata: { name, ...at }, spec: {} });
      await client.of(HarvesterTemplate).create({ metadata: { name: `${name}-other`, ...at }, spec: {} });
      const versions = client.of(VirtualMachineTemplateVersion);
      for (const [version, number] of [
        [`${name}-b`, 2],
        [`${name}-a`, 1],
      ] as const) {
        await versions.create({ metadata: { name: version, ...at }, spec: { templateId: `default/${name}` } });
        await versions.patchStatus(version, { status: { version: number } }, { ...at, type: 'merge' });
      }
      // One without a name is called after its template.
      await versions.create({ metadata: at, spec: { templateId: `default/${name}-other` } });
    },
    expect: {
      status: 200,
      response: {
        kind: 'VirtualMachineTemplateVersionList',
        items: [{ status: { version: 1 } }, { status: { version: 2 } }],
      },
    },
  },
  {
    action: 'keypairs/keygen',
    is: 'success',
    expect: { status: 200 },
    after: async (name, { client }) => {
      const pair = await client.of(KeyPair).get(name, at);
      expect(parsePublicKey(pair.spec.publicKey)?.type).toBe('ssh-rsa');
      expect(JSON.stringify(pair)).not.toContain('PRIVATE KEY');
    },
  },
  {
    action: 'keypairs/keygen',
    is: 'wrong state',
    when: 'the name is taken',
    given: (name, { client }) => client.of(KeyPair).create({ metadata: { name, ...at }, spec: { publicKey: PUBLIC } }),
    expect: { status: 409, message: 'already exists' },
  },
];

const PUBLIC = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f ada@example.org';
