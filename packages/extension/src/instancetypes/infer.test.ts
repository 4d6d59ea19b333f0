import { notFound } from '@vireo/api';
import { Client, type Transport } from '@vireo/kube';
import { describe, expect, it } from 'vitest';
import { vmWith } from '../testing/vms.ts';
import { inferTypes } from './infer.ts';

const NAME = 'instancetype.kubevirt.io/default-instancetype';

/** Objects of CDI by path, in place of a server: one that runs nothing of CDI refuses them. */
function serving(objects: Record<string, object>): Client {
  const call: Transport['call'] = async ({ path }) => {
    const found = objects[path.replace(/^.*\/namespaces\//, '')];
    if (found) return { status: 200, body: found, headers: {} };
    return { status: 404, body: notFound({ group: '', resource: 'things' }, path).status, headers: {} };
  };
  return new Client({ call } as unknown as Transport);
}

const labelled = (name: string) => ({ metadata: { name: 'x', labels: { [NAME]: name } }, spec: {} });
const claimOf = (namespace: string, name: string) => `${namespace}/persistentvolumeclaims/${name}`;
const dataSource = (pvc?: object) => ({ metadata: { name: 'image' }, spec: { source: pvc ? { pvc } : {} } });
const fromImage = { sourceRef: { kind: 'DataSource', name: 'image', namespace: 'images' } };

async function inferred(objects: Record<string, object>, template?: object): Promise<string | undefined> {
  const vm = vmWith({
    instancetype: { inferFromVolume: 'root' },
    template: { spec: { domain: { devices: {} }, volumes: [{ name: 'root', dataVolume: { name: 'disk' } }] } },
    ...(template && { dataVolumeTemplates: [{ metadata: { name: 'disk' }, spec: template }] }),
  });
  return (await inferTypes(vm, serving(objects))).spec.instancetype?.name;
}

describe('the name on a DataVolume', () => {
  it.each<[string, Record<string, object>, object?]>([
    ['is its own label', { 'default/datavolumes/disk': labelled('it') }],
    ['is that of its claim, once it is gone itself', { [claimOf('default', 'disk')]: labelled('it') }],
    [
      'is that of the claim that it is a copy of',
      {
        'default/datavolumes/disk': { metadata: {}, spec: { source: { pvc: { name: 'gold', namespace: 'images' } } } },
        [claimOf('images', 'gold')]: labelled('it'),
      },
    ],
    [
      'is that of the claim that its template copies',
      { [claimOf('images', 'gold')]: labelled('it') },
      { source: { pvc: { name: 'gold', namespace: 'images' } } },
    ],
    ['is that of the DataSource', { 'images/datasources/image': labelled('it') }, fromImage],
    [
      'is that of the claim behind the DataSource',
      {
        'images/datasources/image': dataSource({ name: 'gold', namespace: 'images' }),
        [claimOf('images', 'gold')]: labelled('it'),
      },
      fromImage,
    ],
    [
      'is that of a DataSource in the namespace of the VM',
      { 'default/datasources/image': labelled('it') },
      { sourceRef: { kind: 'DataSource', name: 'image' } },
    ],
  ])('%s', async (_, objects, template) => {
    expect(await inferred(objects, template)).toBe('it');
  });

  it.each<[string, Record<string, object>, object]>([
    [
      'unable to infer defaults from DataVolumeSpec as DataVolumeSource is not supported',
      {},
      { source: { blank: {} } },
    ],
    [
      'unable to infer defaults from DataVolumeSourceRef as Kind Other is not supported',
      {},
      { sourceRef: { kind: 'Other', name: 'image' } },
    ],
    [
      "unable to infer defaults from DataSource that doesn't provide DataVolumeSourcePVC",
      { 'images/datasources/image': dataSource() },
      fromImage,
    ],
  ])('may be missing: %s', async (message, objects, template) => {
    await expect(inferred(objects, template)).rejects.toMatchObject({ code: 400, message });
  });
});
