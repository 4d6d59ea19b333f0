import type { ConditionDraft } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { drivesOf, withoutHotplug } from './hotplug.ts';
import { cardRestarts, type Rollout, withoutCards } from './interfaces.ts';
import { withoutDumps } from './memoryDump.ts';
import { withoutSize } from './size.ts';
import { withMovedVolumes } from './volumeMigration.ts';

type TemplateSpec = NonNullable<Vm['spec']['template']['spec']>;

/** The fields that reach a running VMI without a restart. */
export const LIVE_FIELDS = [
  'nodeSelector',
  'affinity',
  'tolerations',
] as const satisfies readonly (keyof TemplateSpec)[];

/** What to say of a VM whose settings are no longer those that its VMI was started with. */
export function restartRequired(
  started: Vm['spec'] | undefined,
  current: Vm['spec'],
  vmi: Pick<Vmi, 'spec'>,
  rollout: Rollout,
): ConditionDraft | undefined {
  if (!started) return undefined;
  const moved = withMovedVolumes(started, current, vmi);
  const cards = cardRestarts(started.template.spec, current.template.spec, vmi.spec, rollout);
  const [before, after] = [moved, current].map(({ template }) => fieldsNeedingRestart(template.spec, rollout));
  const differs = !deepEqual(before, after);
  if (!differs && cards.length === 0) return undefined;
  const details = [...changedDrives(started, current), ...cards].join(', ');
  const message = 'a non-live-updatable field was changed in the template spec';
  return { type: 'RestartRequired', status: 'True', message: details === '' ? message : `${message}: ${details}` };
}

/** CD-ROM drives that came or went: their discs do so without a restart, they themselves do not. */
function changedDrives(started: Vm['spec'], current: Vm['spec']): string[] {
  const [before, after] = [started, current].map(({ template }) => drivesOf(template.spec?.domain.devices?.disks));
  return [
    ...[...(before ?? [])]
      .filter((name) => !after?.has(name))
      .map((name) => `CD-ROM drive ${name} will be removed by a restart`),
    ...[...(after ?? [])]
      .filter((name) => !before?.has(name))
      .map((name) => `CD-ROM drive ${name} will be added by a restart`),
  ];
}

function fieldsNeedingRestart(spec: TemplateSpec | undefined, { isStaged }: Rollout): Partial<TemplateSpec> {
  const rest: Partial<TemplateSpec> = { ...spec, volumes: withoutDumps(spec?.volumes) };
  for (const field of LIVE_FIELDS) delete rest[field];
  const fixed = withoutHotplug(withoutCards(rest));
  return isStaged ? fixed : withoutSize(fixed);
}
