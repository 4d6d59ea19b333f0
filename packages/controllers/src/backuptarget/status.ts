import type { ConditionDraft } from '@vireo/api';
import { CONFIGURED, type Setting, type SettingStatus } from '@vireo/api/kinds/harvester/setting.ts';
import { harvesterConditions } from '../harvester/conditions.ts';
import type { FoundNamespace } from './sync.ts';

/** Whether the target that is set can be used, and why not. */
export type TargetState =
  | { readonly is: 'configured'; readonly namespaces?: ReadonlyMap<string, FoundNamespace> | undefined }
  | { readonly is: 'notSet' }
  /** The value says nothing that could be a target. */
  | { readonly is: 'invalid' | 'unusable'; readonly message: string };

/** So many are named; the rest is counted. */
const NAMED = 10;

/** What is said of backups whose namespaces do not exist; undefined where there are none. */
export function missingNamespaces(namespaces: ReadonlyMap<string, FoundNamespace>): string | undefined {
  const missing = [...namespaces].filter(([, { uid }]) => uid === undefined);
  if (missing.length === 0) return undefined;
  const count = missing.reduce((sum, [, found]) => sum + found.count, 0);
  const named = missing
    .map(([name]) => name)
    .sort()
    .slice(0, NAMED)
    .join(', ');
  const rest = missing.length > NAMED ? ` and ${missing.length - NAMED} others` : '';
  return (
    `${count} ${count === 1 ? 'backup is of a namespace that does' : 'backups are of namespaces that do'} not exist: ` +
    `${named}${rest}; create the namespace to use them`
  );
}

const condition = (state: TargetState): ConditionDraft => {
  if (state.is === 'configured') {
    const message = state.namespaces && missingNamespaces(state.namespaces);
    return { type: CONFIGURED, status: 'True', reason: 'Configured', ...(message !== undefined && { message }) };
  }
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
