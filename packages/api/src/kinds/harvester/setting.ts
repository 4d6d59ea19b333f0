import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, list, string, struct } from '../../schema.ts';
import { optional } from '../customResource.ts';
import { HarvesterCondition } from './harvesterParts.ts';
import { HARVESTER_GROUP } from './names.ts';

/** The Setting that says where backups are stored. */
export const BACKUP_TARGET_SETTING = 'backup-target';
/** The condition of a Setting: whether its value is in force. */
export const CONFIGURED = 'configured';

export const SettingStatus = struct('io.harvesterhci.v1beta1.SettingStatus', 'Observed state of a Setting.', {
  conditions: optional(
    list(HarvesterCondition, 'atomic'),
    'Conditions: configured says whether the value is in force, and why not.',
  ),
});
export interface SettingStatus extends Infer<typeof SettingStatus> {}

export const SettingSchema = struct(
  'io.harvesterhci.v1beta1.Setting',
  'A setting of the installation, by its name. Only backup-target has an effect.',
  {
    ...objectFields,
    customized: optional(boolean, 'Whether somebody has changed the value.'),
    default: optional(string, 'Value that is in force while value is empty.'),
    source: optional(string, 'Where the value comes from.'),
    status: optional(SettingStatus, 'Observed state of the Setting. The system writes it.'),
    value: optional(string, 'Value of the setting.'),
  },
);
export interface Setting extends Infer<typeof SettingSchema> {}

export const Setting = defineKind<Setting>({
  group: HARVESTER_GROUP,
  version: 'v1beta1',
  kind: 'Setting',
  plural: 'settings',
  namespaced: false,
  schema: SettingSchema,
  columns: [{ name: 'Value', type: 'string', jsonPath: '.value', description: 'Value of the setting.' }],
});

/** The value that is in force. */
export const effectiveValue = (setting: Setting | undefined): string => setting?.value || setting?.default || '';
