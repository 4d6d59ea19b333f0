import { ConfigMap, Secret } from '@vireo/api';
import type { JsonObject } from '@vireo/api/json.ts';
import { BACKUP_OBJECTS, type BackupObjects } from '@vireo/api/kinds/harvester/backupObjects.ts';
import { expect, it } from 'vitest';
import { VMI_REFERENCES } from './dependencies.ts';

/** Secrets for pulling images, which are not in backups. */
const LEFT_OUT = ['containerDisk.imagePullSecret', 'domain.firmware.kernelBoot.container.imagePullSecret'];

const at = (path: readonly string[]): JsonObject | string =>
  path.length === 0 ? 'wanted' : { [path[0] ?? '']: at(path.slice(1)) };

const REFERENCES = [...VMI_REFERENCES.disks, ...VMI_REFERENCES.rest].flatMap(({ each, references }) =>
  references
    .filter((reference) => !LEFT_OUT.includes(reference.at))
    .flatMap(({ at: path, to }) =>
      to === Secret || to === ConfigMap ? [{ each: each?.replace('[]', ''), path, kind: to.kind }] : [],
    ),
);

it.each(REFERENCES)('a backup has the $kind that $each.$path names', ({ each = '', path, kind }) => {
  const objects: BackupObjects = kind === 'Secret' ? BACKUP_OBJECTS.secrets : BACKUP_OBJECTS.configMaps;
  const spec = { domain: { devices: {} }, [each]: [{ name: 'a', ...(at(path.split('.')) as JsonObject) }] };
  expect(objects.namesIn({ spec }, 'default')).toEqual(['wanted']);
});
