import type { ConditionDraft } from '@vireo/api';
import { CONFIGURED, type Setting, type SettingStatus } from '@vireo/api/kinds/harvester/setting.ts';
import { harvesterConditions } from '../harvester/conditions.ts';

/** Whether the target that is set can be used, and why not. */
export type TargetState =
  | { readonly is: 'configured' }
  | { readonly is: 'notSet' }
  /** The value says nothing that could be a target. */
  | { readonly is: 'invalid' | 'unusable'; readonly message: string };

const condition = (state: TargetState): ConditionDraft => {
  if (state.is === 'configured') return { type: CONFIGURED, status: 'True', reason: 'Configured' };
  if (state.is === 'notSet')
    return { type: CONFIGURED, status: 'False', reason: 'NotSet', message: 'no backup target is set' };
  return {
    type: CONFIGURED,
    status: 'False',
    reason: state.is === 'invalid' ? 'Invalid' : 'Unusable',
    message: state.message,
  };
};

export const settingStatus = (setting: Setting, state: TargetState, now: Date): SettingStatus => ({
  ...setting.status,
  conditions: harvesterConditions(setting.status?.conditions, [condition(state)], now),
});
