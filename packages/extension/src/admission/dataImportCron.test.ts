import type { DataImportCron } from '@vireo/api/kinds/cdi/dataImportCron.ts';
import { expect, it, test } from 'vitest';
import { dataImportCronValidation, specErrors } from './dataImportCron.ts';

const storage = { resources: { requests: { storage: '1Gi' } } };
const registry = { url: 'docker://registry.example/disk:1' };
const cron = (spec: object = {}, name = 'fedora'): DataImportCron => ({
  apiVersion: 'cdi.kubevirt.io/v1beta1',
  kind: 'DataImportCron',
  metadata: { name, namespace: 'default' },
  spec: {
    schedule: '0 3 * * *',
    managedDataSource: 'fedora',
    template: { spec: { source: { registry }, storage } },
    ...spec,
  },
});
const from = (source: object) => ({ template: { spec: { source, storage } } });

test.each<[string, DataImportCron, string | undefined]>([
  ['a good one', cron(), undefined],
  ['no schedule, for imports that others ask for', cron({ schedule: '' }), undefined],
  ['a schedule that is none', cron({ schedule: '61 * * * *' }), 'spec.schedule'],
  ['a web server', cron(from({ http: { url: 'https://example.org/disk' } })), 'spec.template.spec.source'],
  [
    'an image stream',
    cron(from({ registry: { imageStream: 'fedora' } })),
    'spec.template.spec.source.registry.imageStream',
  ],
  [
    'a file of the node',
    cron(from({ registry: { url: 'oci-archive:///x' } })),
    'spec.template.spec.source.registry.url',
  ],
  [
    'no size',
    cron({ template: { spec: { source: { registry }, storage: {} } } }),
    'spec.template.spec.storage.resources.requests',
  ],
  ['a negative number to keep', cron({ importsToKeep: -1 }), 'spec.importsToKeep'],
  ['an unknown policy', cron({ retentionPolicy: 'Some' }), 'spec.retentionPolicy'],
  ['unknown garbage', cron({ garbageCollect: 'Always' }), 'spec.garbageCollect'],
  ['no DataSource', cron({ managedDataSource: '' }), 'spec.managedDataSource'],
  ['a DataSource of too long a name', cron({ managedDataSource: 'x'.repeat(241) }), 'spec.managedDataSource'],
  ['a name too long for a label', cron({}, 'x'.repeat(64)), 'metadata.name'],
])('%s', (_, object, field) => {
  expect(specErrors(object).map((each) => each.field)).toEqual(field === undefined ? [] : [field]);
});

it('its spec does not change, and its annotations may', async () => {
  const update = (object: DataImportCron) =>
    dataImportCronValidation.validate(
      { operation: 'UPDATE', object, oldObject: cron(), user: { username: 'me', groups: [] } },
      {} as never,
    );
  expect((await update(cron({ schedule: '' }))).errors).toMatchObject([{ text: 'Cannot update DataImportCron Spec' }]);
  expect((await update({ ...cron(), metadata: { name: 'fedora', annotations: { a: 'b' } } })).errors).toEqual([]);
});
