import { deepEqual } from '@vireo/api/json.ts';
import type { Statement } from '../conditions.ts';
import type { Vm } from '../kinds.ts';
import { withoutHotplug } from './hotplug.ts';
import { withoutLinkStates } from './linkStates.ts';
import { withoutDumps } from './memoryDump.ts';

type TemplateSpec = NonNullable<Vm['spec']['template']['spec']>;

/** The fields that reach a running instance without a restart. */
export const LIVE_FIELDS = [
  'nodeSelector',
  'affinity',
  'tolerations',
] as const satisfies readonly (keyof TemplateSpec)[];

/** What to say of a machine whose settings are no longer those that its instance was started with. */
export function restartRequired(started: Vm['spec'] | undefined, current: Vm['spec']): Statement | undefined {
  if (!started) return undefined;
  const differs = !deepEqual(lasting(started.template.spec), lasting(current.template.spec));
  if (!differs) return undefined;
  return {
    type: 'RestartRequired',
    status: 'True',
    message: 'a non-live-updatable field was changed in the template spec',
  };
}

function lasting(spec: TemplateSpec | undefined): Partial<TemplateSpec> {
  const rest: Partial<TemplateSpec> = { ...spec, volumes: withoutDumps(spec?.volumes) };
  for (const field of LIVE_FIELDS) delete rest[field];
  return withoutHotplug(withoutLinkStates(rest));
}
