import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, int64, list, map, string, struct } from '../../schema.ts';
import { ageDate } from '../customColumns.ts';
import { optional, required } from '../customResource.ts';
import { HarvesterCondition } from './harvesterParts.ts';
import { HARVESTER_GROUP } from './names.ts';

export const UpgradeLogArchive = struct('io.harvesterhci.v1beta1.Archive', 'An archive that can be downloaded.', {
  generatedTime: optional(string, 'When it was asked for.'),
  ready: required(boolean, 'Whether it can be downloaded.'),
  reason: optional(string, 'Why it cannot.'),
  size: required(int64, 'Bytes.'),
});
export interface UpgradeLogArchive extends Infer<typeof UpgradeLogArchive> {}

export const UpgradeLogSpec = struct('io.harvesterhci.v1beta1.UpgradeLogSpec', 'What is wanted.', {
  upgradeName: optional(string, 'The upgrade that the logs are about.'),
});
export interface UpgradeLogSpec extends Infer<typeof UpgradeLogSpec> {}

export const UpgradeLogStatus = struct('io.harvesterhci.v1beta1.UpgradeLogStatus', 'How a collection is doing.', {
  archives: optional(map(UpgradeLogArchive), 'What was collected, by name.'),
  conditions: optional(list(HarvesterCondition, 'atomic'), 'Observations about the collection, one a type.'),
});
export interface UpgradeLogStatus extends Infer<typeof UpgradeLogStatus> {}

export const UpgradeLogSchema = struct(
  'io.harvesterhci.v1beta1.UpgradeLog',
  'Logs and objects of the installation, collected into archives.',
  {
    ...objectFields,
    spec: optional(UpgradeLogSpec, 'What is wanted.'),
    status: optional(UpgradeLogStatus, 'What was last observed. Written by the system.'),
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
    { name: 'Upgrade', type: 'string', jsonPath: '.spec.upgradeName', description: 'The upgrade that it is about.' },
    ageDate,
  ],
});
