import { Event, PersistentVolumeClaim } from '@vireo/api';
import { VOLUME_CLAIM_TEMPLATES } from '@vireo/api/kinds/harvester/names.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localStorageClasses } from '../storageClasses.ts';
import { type Cluster, NAMESPACE, startCluster, vmDraft } from '../testing/cluster.ts';
import { vmWith } from '../testing/objects.ts';
import { observed } from '../testing/watching.ts';
import { claimTemplates } from './templates.ts';

const annotated = (value: string): Vm => vmWith({}, {}, { annotations: { [VOLUME_CLAIM_TEMPLATES]: value } });
const resources = { requests: { storage: '10Gi' } };
const listed = (spec: object, metadata: object = { name: 'web-root' }): string =>
  JSON.stringify([{ metadata, spec: { resources, ...spec } }]);

describe('the claims of a VM', () => {
  const read = (value: string) => claimTemplates(annotated(value), localStorageClasses());

  it('are those that its annotation lists, with no more than is theirs to say', () => {
    const metadata = {
      name: 'web-root',
      namespace: 'kube-system',
      ownerReferences: [{}],
      annotations: { 'harvesterhci.io/imageId': 'default/debian' },
    };
    const spec = { accessModes: ['ReadWriteOnce'], volumeMode: 'Block', storageClassName: 'local' };
    expect(read(listed(spec, metadata))).toEqual([
      {
        metadata: {
          name: 'web-root',
          namespace: 'shop',
          annotations: { 'harvesterhci.io/imageId': 'default/debian' },
        },
        spec: { ...spec, resources },
      },
    ]);
    expect(claimTemplates(vmWith(), [])).toEqual([]);
  });

  it.each<[string, object, string[]]>([
    ['of ours are written by one', { storageClassName: 'local', accessModes: ['ReadWriteMany'] }, ['ReadWriteOnce']],
    ['of the default class, too', { accessModes: ['ReadWriteMany'] }, ['ReadWriteOnce']],
    ['of others as they say', { storageClassName: 'nfs', accessModes: ['ReadWriteMany'] }, ['ReadWriteMany']],
    ['that do not say have one writer', {}, ['ReadWriteOnce']],
  ])('%s', (_, spec, modes) => {
    expect(read(listed(spec))[0]?.spec?.accessModes).toEqual(modes);
  });

  it.each([
    ['nonsense', 'is not valid JSON'],
    ['{}', 'is not a JSON list of claims'],
    ['[{"spec":{}}]', '[0] lacks metadata.name or spec'],
    ['[{"metadata":{"name":"x"}}]', '[0] lacks metadata.name or spec'],
    ['[1]', '[0] lacks metadata.name or spec'],
  ])('%s is refused', (value, message) => {
    expect(() => read(value)).toThrow(message);
  });
});

describe('on a server', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
    await cluster.startControllers();
  });
  afterAll(() => cluster.close());

  const create = (name: string, value: string): Promise<Vm> => {
    const { metadata, ...rest } = vmDraft(name, { runStrategy: 'Halted' });
    const annotations = { [VOLUME_CLAIM_TEMPLATES]: value };
    return cluster.admin.of(Vm).create({ ...rest, metadata: { ...metadata, annotations } });
  };

  it('the claims of a VM are made, and what is wrong with them is an event', async () => {
    await create('web', listed({ accessModes: ['ReadWriteMany'], volumeMode: 'Block' }));
    const claim = await observed<PersistentVolumeClaim>(
      cluster.admin,
      PersistentVolumeClaim,
      ({ metadata }) => metadata.name === 'web-root',
    );
    expect(claim.metadata.namespace).toBe(NAMESPACE);
    expect(claim.metadata.ownerReferences).toBeUndefined();
    await create('odd', listed({ resources: {} }, { name: 'odd-root' }));
    const event = await observed<Event>(cluster.admin, Event, ({ reason }) => reason === 'FailedVolumeClaimTemplates');
    expect(event.message).toContain('spec.resources[storage]');
  });
});
