import type { VirtualMachineImage } from '@vireo/api/kinds/harvester/virtualMachineImage.ts';
import { describe, expect, it } from 'vitest';
import { imageDefaults, imageValidation, specErrors } from './image.ts';
import type { AdmissionContext } from './rule.ts';

type Spec = VirtualMachineImage['spec'];

const DOWNLOAD: Spec = { displayName: 'debian', sourceType: 'download', url: 'https://example.org/debian.qcow2' };
const image = (spec: Spec, status?: VirtualMachineImage['status']): VirtualMachineImage => ({
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'VirtualMachineImage',
  metadata: { name: 'debian', namespace: 'shop' },
  spec,
  ...(status && { status }),
});

describe('an image', () => {
  it.each<[Spec, string[]]>([
    [DOWNLOAD, []],
    [{ displayName: 'x', sourceType: 'upload' }, []],
    [{ displayName: 'x', sourceType: 'export-from-volume', pvcName: 'a', pvcNamespace: 'b' }, []],
    [{ ...DOWNLOAD, checksum: 'A'.repeat(128) }, []],
    [{ ...DOWNLOAD, url: undefined }, ['spec.url']],
    [{ ...DOWNLOAD, url: 'file:///etc/passwd' }, ['spec.url']],
    [{ ...DOWNLOAD, url: 'debian.qcow2' }, ['spec.url']],
    [{ ...DOWNLOAD, checksum: 'abc' }, ['spec.checksum']],
    [{ ...DOWNLOAD, displayName: 'two words' }, ['spec.displayName']],
    [{ ...DOWNLOAD, displayName: 'x'.repeat(64) }, ['spec.displayName']],
    [{ ...DOWNLOAD, pvcName: 'a' }, ['spec.pvcName']],
    [{ displayName: 'x', sourceType: 'upload', url: 'https://example.org' }, ['spec.url']],
    [{ displayName: 'x', sourceType: 'export-from-volume' }, ['spec.pvcName', 'spec.pvcNamespace']],
    [{ displayName: 'x', sourceType: 'restore', url: 'https://example.org' }, ['spec.sourceType']],
    [
      {
        ...DOWNLOAD,
        securityParameters: { cryptoOperation: 'encrypt', sourceImageName: 'a', sourceImageNamespace: 'b' },
      },
      ['spec.securityParameters'],
    ],
  ])('%j is wrong in %j', (spec, fields) => {
    expect(specErrors(spec).map(({ field }) => field)).toEqual(fields);
  });

  const user = { username: 'somebody', groups: [] };
  /** Changes are judged by themselves. */
  const context = {} as AdmissionContext;
  const change = async (before: VirtualMachineImage, after: VirtualMachineImage): Promise<string[]> => {
    const admission = { operation: 'UPDATE', object: after, oldObject: before, user } as const;
    return (await imageValidation.validate(admission, context)).errors.map(({ text }) => text ?? '');
  };

  it('may come from elsewhere until it is there, and is otherwise as it was', async () => {
    const moved = { ...DOWNLOAD, url: 'https://example.org/other' };
    expect(await change(image(DOWNLOAD), image(moved))).toEqual([]);
    expect(await change(image(DOWNLOAD), image({ ...DOWNLOAD, description: 'new', retry: 7 }))).toEqual([]);
    expect(await change(image(DOWNLOAD), image({ ...DOWNLOAD, url: 'ftp://x' }))).toEqual([
      '"ftp://x" is not a URL that starts with http:// or https://',
    ]);
    const there = { conditions: [{ type: 'Imported', status: 'True' }] };
    expect(await change(image(DOWNLOAD, there), image(moved, there))).toEqual([
      'spec.url is immutable after the image is imported',
    ]);
    expect(await change(image(DOWNLOAD), image({ ...DOWNLOAD, displayName: 'other' }))).toEqual([
      'spec.displayName is immutable',
    ]);
  });

  it('is labelled with its name, where that can be a label', async () => {
    const labels = async (spec: Spec) =>
      (await imageDefaults.mutate({ operation: 'CREATE', object: image(spec), user }, context)).metadata.labels;
    expect(await labels(DOWNLOAD)).toEqual({ 'harvesterhci.io/imageDisplayName': 'debian' });
    expect(await labels({ ...DOWNLOAD, displayName: 'two words' })).toBeUndefined();
  });
});
