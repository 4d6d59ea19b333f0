import type { EventObject, KubeObject, Vm, Vmi } from '../data/kinds.ts';
import { isAbout } from './events.ts';

/** Objects of a snapshot or a migration that name their machine. */
export interface OfMachine extends KubeObject {
  readonly spec?: {
    readonly vmiName?: string;
    readonly source?: { readonly kind?: string; readonly name?: string };
    readonly target?: { readonly kind?: string; readonly name?: string };
  };
}

/** Whether a migration, a snapshot or a restore is of the machine of that name. */
export const isOf = ({ spec }: OfMachine, name: string): boolean =>
  spec?.vmiName === name || isVm(spec?.source, name) || isVm(spec?.target, name);

const isVm = (reference: { kind?: string; name?: string } | undefined, name: string): boolean =>
  reference?.name === name && reference.kind === 'VirtualMachine';

/** `Kind name` of the disks of a machine. */
export function disksOf(vm: Vm | undefined, vmi: Vmi | undefined): Set<string> {
  const volumes = [...(vm?.spec.template?.spec?.volumes ?? []), ...(vmi?.spec.volumes ?? [])];
  const names = [
    ...volumes.flatMap(
      ({ dataVolume, persistentVolumeClaim }) => dataVolume?.name ?? persistentVolumeClaim?.claimName ?? [],
    ),
    ...(vm?.spec.dataVolumeTemplates ?? []).flatMap(({ metadata }) => metadata?.name ?? []),
  ];
  return new Set(names.flatMap((name) => [`DataVolume ${name}`, `PersistentVolumeClaim ${name}`]));
}

/** Servers keep events for about an hour: only the last objects of a kind can have any. */
const MOST_OF_A_KIND = 8;

/** The newest few objects of a kind that are of a machine. */
export const lastOf = (objects: readonly OfMachine[], name: string): OfMachine[] =>
  objects
    .filter((object) => isOf(object, name))
    .sort((a, b) => ((a.metadata.creationTimestamp ?? '') < (b.metadata.creationTimestamp ?? '') ? 1 : -1))
    .slice(0, MOST_OF_A_KIND);

/** The name in `Kind name`. */
export const nameIn = (kindAndName: string): string => kindAndName.slice(kindAndName.indexOf(' ') + 1);

/** Whether an event is about the machine, its pods, or one of the objects `Kind name` that belong to it. */
export function isRelated(event: EventObject, name: string, belonging: ReadonlySet<string>): boolean {
  const { kind = '', name: about = '' } = event.involvedObject ?? {};
  return isAbout(event, name) || belonging.has(`${kind} ${about}`);
}
