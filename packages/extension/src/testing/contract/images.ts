import { VirtualMachineImage } from '@vireo/api/kinds/harvester/virtualMachineImage.ts';
import { expect } from 'vitest';
import { at, type ContractCase, type ContractContext } from './case.ts';
import { boundClaim } from './claims.ts';

const image =
  (spec: Partial<VirtualMachineImage['spec']>, isImported = false) =>
  async (name: string, context: ContractContext) => {
    const images = context.client.of(VirtualMachineImage);
    await images.create({ metadata: { name, ...at }, spec: { displayName: name, sourceType: 'upload', ...spec } });
    // Nothing makes its DataVolume here: the claim stands for what the controllers would have made of it.
    await boundClaim(name, context);
    const status = { conditions: [{ type: 'Imported', status: isImported ? 'True' : 'Unknown' }] };
    await images.patchStatus(name, { status }, { ...at, type: 'merge' });
  };

const DATA = { this: 'is the disk' };

const of = (action: string): string => `virtualmachineimages/${action}`;

/** Actions on images. That a download has the image is for a test that reads it whole. */
export const IMAGE_CASES: readonly ContractCase[] = [
  {
    action: of('upload'),
    is: 'success',
    given: image({}),
    body: DATA,
    expect: { status: 200 },
    after: async (name, { node }) => {
      const path = `POST /v1/namespaces/default/persistentvolumeclaims/${name}/upload?async=false`;
      expect(node.asked).toContain(`${path} ${JSON.stringify(DATA)}`);
    },
  },
  {
    action: of('upload'),
    is: 'wrong state',
    given: image({ sourceType: 'download', url: 'https://example.org/disk.img' }),
    body: DATA,
    expect: { status: 409, message: 'its sourceType is download' },
  },
  {
    action: of('upload'),
    is: 'wrong state',
    when: 'it has its data',
    given: image({}, true),
    body: DATA,
    expect: { status: 409, message: 'it already has its data' },
  },
  {
    action: of('upload'),
    is: 'bad body',
    when: 'it has another checksum',
    given: image({ checksum: '0'.repeat(128) }),
    body: DATA,
    expect: { status: 400, message: 'spec.checksum: the data has SHA-512' },
  },
  {
    action: of('download'),
    is: 'wrong state',
    given: image({}),
    expect: { status: 409, message: 'it is not imported yet' },
  },
  { action: of('downloadcancel'), is: 'success', given: image({}), expect: { status: 204 } },
];
