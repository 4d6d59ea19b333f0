import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, int64, list, map, string, struct } from '../../schema.ts';
import { ageDate } from '../customColumns.ts';
import { optional, required } from '../customResource.ts';
import { HarvesterCondition } from './harvesterParts.ts';
import { HARVESTER_GROUP } from './names.ts';

export const UpgradeLogArchive = struct('io.harvesterhci.v1beta1.Archive', 'An archive that can be downloaded.', {
  generatedTime: optional(string, 'Time at which the archive was requested.'),
  ready: required(boolean, 'Whether the archive can be downloaded.'),
  reason: optional(string, 'Reason why the archive cannot be downloaded.'),
  size: required(int64, 'Size of the archive in bytes.'),
});
export interface UpgradeLogArchive extends Infer<typeof UpgradeLogArchive> {}

export const UpgradeLogSpec = struct('io.harvesterhci.v1beta1.UpgradeLogSpec', 'What the collection is about.', {
  upgradeName: optional(string, 'The upgrade that the logs are about.'),
});
export interface UpgradeLogSpec extends Infer<typeof UpgradeLogSpec> {}

export const UpgradeLogStatus = struct(
  'io.harvesterhci.v1beta1.UpgradeLogStatus',
  'Observed state of a log collection.',
  {
    archives: optional(map(UpgradeLogArchive), 'Archives of logs by file name, with their size and time.'),
    conditions: optional(list(HarvesterCondition, 'atomic'), 'Conditions of the collection.'),
  },
);
export interface UpgradeLogStatus extends Infer<typeof UpgradeLogStatus> {}

export const UpgradeLogSchema = struct(
  'io.harvesterhci.v1beta1.UpgradeLog',
  'Collects logs and objects of the installation into archives for download.',
  {
    ...objectFields,
    spec: optional(UpgradeLogSpec, 'Desired state of the UpgradeLog.'),
    status: optional(UpgradeLogStatus, 'Observed state of the UpgradeLog. The system writes it.'),
  },
);
export interface UpgradeLog extends Infer<typeof UpgradeLogSchema> {}

export const UpgradeLog = defineKind<UpgradeLog>({
  group: HARVESTER_GROUP,
  version: 'v1beta1',
  kind: 'UpgradeLog',
  plural: 'upgradelogs',
  namespaced: true,
  schema: UpgradeLogSchema,
  columns: [
    {
      name: 'Upgrade',
      type: 'string',
      jsonPath: '.spec.upgradeName',
      description: 'Name of the upgrade that the logs are about.',
    },
    ageDate,
  ],
});
