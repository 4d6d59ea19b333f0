import type { Persisted } from '@vireo/api';
import type { VirtualMachineImage } from '@vireo/api/kinds/harvester/virtualMachineImage.ts';
import type { HarvesterTemplate } from '@vireo/api/kinds/harvester/virtualMachineTemplate.ts';
import type { VirtualMachineTemplateVersion } from '@vireo/api/kinds/harvester/virtualMachineTemplateVersion.ts';
import { describe, expect, it } from 'vitest';
import { newDefault, newNumbers, templateStatus, versionStatus } from './status.ts';

const NOW = new Date('2026-01-01T00:00:00Z');

const template = (spec: HarvesterTemplate['spec'] = {}, latestVersion = 0): HarvesterTemplate => ({
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'VirtualMachineTemplate',
  metadata: { name: 'debian', namespace: 'shop' },
  spec,
  status: { latestVersion },
});

/** A version that was made on that day. */
const version = (name: string, day: number, number?: number, claims?: string) =>
  ({
    metadata: { name, namespace: 'shop', creationTimestamp: `2026-01-0${day}T00:00:00Z` },
    spec: {
      templateId: 'shop/debian',
      ...(claims !== undefined && {
        vm: { metadata: { annotations: { 'harvesterhci.io/volumeClaimTemplates': claims } }, spec: {} },
      }),
    },
    ...(number !== undefined && { status: { version: number } }),
  }) as unknown as Persisted<VirtualMachineTemplateVersion>;

const numbers = (...args: Parameters<typeof newNumbers>) =>
  Object.fromEntries([...newNumbers(...args)].map(([{ metadata }, number]) => [metadata.name, number]));

describe('versions', () => {
  it('are numbered from 1, the oldest first', () => {
    expect(numbers(template(), [version('b', 2), version('a', 1)])).toEqual({ a: 1, b: 2 });
  });

  it('go on from the highest number, even of one that is gone', () => {
    expect(numbers(template({}, 7), [version('a', 1, 3), version('b', 2)])).toEqual({ b: 8 });
    expect(numbers(template({}, 1), [version('a', 1, 3), version('b', 2)])).toEqual({ b: 4 });
  });
});

describe('the default version', () => {
  it('is the first, unless somebody has chosen another', () => {
    const versions = [version('b', 2, 2), version('a', 1, 1), version('c', 3)];
    expect(newDefault(template(), versions)).toBe('shop/a');
    expect(newDefault(template({ defaultVersionId: 'shop/b' }), versions)).toBeUndefined();
    expect(templateStatus(template({ defaultVersionId: 'shop/b' }), versions)).toEqual({
      defaultVersion: 2,
      latestVersion: 2,
    });
  });
});

describe('a version', () => {
  const claims = JSON.stringify([{ metadata: { annotations: { 'harvesterhci.io/imageId': 'shop/disk' } } }]);
  const image = (status: string) => ({ status: { conditions: [{ type: 'Imported', status }] } }) as VirtualMachineImage;

  it.each<[string, string | undefined, VirtualMachineImage | undefined, string, string | undefined]>([
    ['without images is ready', undefined, undefined, 'True', undefined],
    ['with an image that is imported is ready', claims, image('True'), 'True', undefined],
    ['waits for its image', claims, image('Unknown'), 'False', 'VirtualMachineImage shop/disk is not imported yet'],
    ['misses its image', claims, undefined, 'False', 'VirtualMachineImage shop/disk does not exist'],
    [
      'may be unreadable',
      '{}',
      undefined,
      'False',
      'harvesterhci.io/volumeClaimTemplates is not a JSON list of claims',
    ],
  ])('%s', (_, text, found, status, message) => {
    const { conditions } = versionStatus(version('a', 1, undefined, text), 1, () => found, NOW);
    const [assigned, ready] = conditions ?? [];
    expect(assigned).toMatchObject({ type: 'assigned', status: 'True' });
    expect({ status: ready?.status, message: ready?.message }).toEqual({ status, message });
  });
});
