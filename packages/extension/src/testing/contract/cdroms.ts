import { PersistentVolumeClaim } from '@vireo/api';
import { VirtualMachineImage } from '@vireo/api/kinds/harvester/virtualMachineImage.ts';
import { expect } from 'vitest';
import { at, type ContractCase, type ContractContext } from './case.ts';

const vm = (action: string): string => `virtualmachines/${action}`;

/** A VM that is off, with a drive of that bus; `claim` is in it. */
const withDrive =
  (bus: 'sata' | 'scsi', claim?: (name: string) => string, hotpluggable = true) =>
  (name: string, { vms }: ContractContext) =>
    vms.vms.create({
      metadata: { name, ...at, annotations: { 'harvesterhci.io/volumeClaimTemplates': '[]' } },
      spec: {
        runStrategy: 'Halted',
        template: {
          spec: {
            domain: { devices: { disks: [{ name: 'cd', cdrom: { bus } }] }, memory: { guest: '64Mi' } },
            ...(claim && {
              volumes: [{ name: 'cd', persistentVolumeClaim: { claimName: claim(name), hotpluggable } }],
            }),
          },
        },
      },
    });

/** An image of the name of the VM, imported or not. */
const withImage =
  (isImported: boolean, given: NonNullable<ContractCase['given']> = withDrive('sata')) =>
  async (name: string, context: ContractContext) => {
    const images = context.client.of(VirtualMachineImage);
    await images.create({ metadata: { name, ...at }, spec: { displayName: name, sourceType: 'upload' } });
    const conditions = [{ type: 'Imported', status: isImported ? 'True' : 'False' }];
    await images.patchStatus(name, { status: { conditions, virtualSize: 1024 ** 3 + 1 } }, { ...at, type: 'merge' });
    await given(name, context);
  };

/** A claim that is somebody's own, whatever it is made from. */
const withClaim = (annotations: Record<string, string>) => async (name: string, context: ContractContext) => {
  await context.client.of(PersistentVolumeClaim).create({
    metadata: { name: `${name}-disc`, ...at, annotations },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });
  await withDrive('sata', () => `${name}-disc`)(name, context);
};

/** A disc that was inserted by the action; `elsewhere`: another VM has it in its drive, too. */
const withInserted =
  (elsewhere = false) =>
  async (name: string, context: ContractContext) => {
    await withImage(true)(name, context);
    const path = `/apis/subresources.harvesterhci.io/v1beta1/namespaces/default/virtualmachines/${name}/insertCdRomVolume`;
    await context.client.call({ method: 'PUT', path, body: imageOf(name) });
    const [claim] = await listClaims(`${name}-cd-`, context);
    if (elsewhere) await withDrive('sata', () => claim?.metadata.name ?? '')(`${name}-other`, context);
  };

/** The claims of discs that nobody is deleting. */
const discsOf = async (name: string, context: ContractContext): Promise<number> =>
  (await listClaims(`${name}-cd-`, context)).filter(({ metadata }) => !metadata.deletionTimestamp).length;

const specOf = async (name: string, { vms }: ContractContext) => (await vms.vms.get(name, at)).spec.template.spec;
const listClaims = async (prefix: string, { client }: ContractContext) =>
  (await client.of(PersistentVolumeClaim).list(at)).items.filter(({ metadata }) => metadata.name?.startsWith(prefix));

const imageOf = (name: string) => ({ DeviceName: 'cd', imageName: `default/${name}` });

/** Harvester's actions on CD-ROM drives, and no others. */
export const CDROM_CASES: readonly ContractCase[] = [
  {
    action: vm('insertCdRomVolume'),
    is: 'success',
    given: withImage(true),
    body: imageOf,
    expect: { status: 204 },
    after: async (name, context) => {
      const [claim] = await listClaims(`${name}-cd-`, context);
      expect(claim?.metadata.annotations).toMatchObject({ 'harvesterhci.io/imageId': `default/${name}` });
      expect(claim?.spec?.resources?.requests).toEqual({ storage: '2Gi' });
      const claimName = claim?.metadata.name;
      expect((await specOf(name, context))?.volumes).toEqual([
        { name: 'cd', persistentVolumeClaim: { claimName, hotpluggable: true } },
      ]);
      const { metadata } = await context.vms.vms.get(name, at);
      expect(metadata.annotations?.['harvesterhci.io/volumeClaimTemplates']).toContain(claimName);
    },
  },
  {
    action: vm('insertCdRomVolume'),
    is: 'wrong state',
    when: 'the drive is full',
    given: withImage(
      true,
      withDrive('sata', () => 'other'),
    ),
    body: imageOf,
    expect: { status: 409, message: 'disc [other] is in the drive' },
    after: async (name, context) => expect(await listClaims(`${name}-cd-`, context)).toEqual([]),
  },
  {
    action: vm('insertCdRomVolume'),
    is: 'wrong state',
    when: 'the image is not imported',
    given: withImage(false),
    body: imageOf,
    expect: { status: 409, message: 'it is not imported yet' },
  },
  {
    action: vm('insertCdRomVolume'),
    is: 'bad body',
    when: 'the drive is not by SATA',
    given: withDrive('scsi'),
    body: imageOf,
    expect: { status: 422, message: 'can not find the SATA CD-ROM device' },
  },
  {
    action: vm('insertCdRomVolume'),
    is: 'bad body',
    when: 'the image has no namespace',
    given: withDrive('sata'),
    body: { deviceName: 'cd', imageName: 'image' },
    expect: { status: 422, message: 'name the image as namespace/name' },
  },
  {
    action: vm('insertCdRomVolume'),
    is: 'success',
    when: 'it is repeated',
    given: withInserted(),
    body: imageOf,
    expect: { status: 204 },
    after: async (name, context) => expect(await listClaims(`${name}-cd-`, context)).toHaveLength(1),
  },
  {
    action: vm('insertCdRomVolume'),
    is: 'wrong state',
    when: 'nobody can read the list of the claims of the VM',
    given: withImage(true, async (name, context) => {
      await withDrive('sata')(name, context);
      const annotations = { 'harvesterhci.io/volumeClaimTemplates': '{' };
      await context.vms.vms.patch(name, { metadata: { annotations } }, { ...at, type: 'merge' });
    }),
    body: imageOf,
    expect: { status: 409, message: 'volumeClaimTemplates is not a JSON list' },
  },
  {
    action: vm('ejectCdRomVolume'),
    is: 'success',
    given: withInserted(),
    body: { deviceName: 'cd' },
    expect: { status: 204 },
    after: async (name, context) => {
      const spec = await specOf(name, context);
      expect(spec?.volumes ?? []).toEqual([]);
      expect(spec?.domain.devices.disks?.map((disk) => disk.name)).toEqual(['cd']);
      expect(await discsOf(name, context)).toBe(0);
    },
  },
  {
    action: vm('ejectCdRomVolume'),
    is: 'success',
    when: 'another VM has the disc, which stays',
    given: withInserted(true),
    body: { deviceName: 'cd' },
    expect: { status: 204 },
    after: async (name, context) => {
      expect((await specOf(name, context))?.volumes ?? []).toEqual([]);
      expect(await discsOf(name, context)).toBe(1);
    },
  },
  ...[undefined, 'default/image'].map(
    (image, index): ContractCase => ({
      action: vm('ejectCdRomVolume'),
      is: 'success',
      when: `the claim is a user’s own${index === 0 ? '' : ', made from an image'}, and stays`,
      given: withClaim(image === undefined ? {} : { 'harvesterhci.io/imageId': image }),
      body: { deviceName: 'cd' },
      expect: { status: 204 },
      after: async (name, context) => {
        const [claim] = await listClaims(`${name}-disc`, context);
        expect(claim?.metadata.deletionTimestamp).toBeUndefined();
      },
    }),
  ),
  {
    action: vm('ejectCdRomVolume'),
    is: 'success',
    when: 'the drive is empty',
    given: withDrive('sata'),
    body: { deviceName: 'cd' },
    expect: { status: 204 },
  },
  {
    action: vm('ejectCdRomVolume'),
    is: 'wrong state',
    given: withDrive('sata', (name) => name, false),
    body: { deviceName: 'cd' },
    expect: { status: 409, message: 'because it is not hotpluggable' },
  },
  {
    action: vm('ejectCdRom'),
    is: 'success',
    given: withDrive('sata', (name) => name, false),
    body: { diskNames: ['cd'] },
    expect: { status: 204 },
    after: async (name, context) => {
      const spec = await specOf(name, context);
      expect([spec?.volumes ?? [], spec?.domain.devices.disks ?? []]).toEqual([[], []]);
    },
  },
  {
    action: vm('ejectCdRom'),
    is: 'bad body',
    given: withDrive('sata'),
    body: { diskNames: ['root'] },
    expect: { status: 422, message: 'the VM has no such CD-ROM drive' },
  },
];
