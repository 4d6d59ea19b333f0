import type { Condition, EventObject, KubeObject, Vm, Vmi } from '../data/kinds.ts';
import { checksOf } from './conditions.ts';
import { foldEvents } from './events.ts';

/** What lines of the time line are about; each can be left out. */
export const LINE_TYPES = ['warning', 'event', 'condition', 'phase'] as const;
export type LineType = (typeof LINE_TYPES)[number];

/** Something that happened. */
export interface Line {
  readonly key: string;
  readonly type: LineType;
  readonly title: string;
  readonly text: string;
  /** The object that it happened to: `Pod virt-launcher-web-x7k2p`. */
  readonly about: string;
  readonly at: string | undefined;
  readonly count: number;
}

interface PhaseTimes {
  readonly phase?: string;
  readonly phaseTransitionTimestamp?: string | null;
}

/** An object whose phases have times: an instance, or a migration of it. */
export interface Phased extends KubeObject {
  readonly status?: { readonly phaseTransitionTimestamps?: readonly PhaseTimes[] };
}

interface Told {
  readonly vm: Vm | undefined;
  readonly vmi: Vmi | undefined;
  /** Those about the machine and what belongs to it. */
  readonly events: readonly EventObject[];
  readonly migrations: readonly Phased[];
}

/** One time line of all that is told about a machine, newest first. */
export function timelineOf({ vm, vmi, events, migrations }: Told): Line[] {
  const lines = [
    ...foldEvents(events).map(({ key, isWarning, reason, message, about, count, lastAt }) => ({
      key,
      type: isWarning ? ('warning' as const) : ('event' as const),
      title: reason,
      text: message,
      about,
      at: lastAt,
      count,
    })),
    ...conditionLines('VirtualMachine', vm, vmi?.status?.conditions),
    ...conditionLines('VirtualMachineInstance', vmi),
    ...(vmi ? phaseLines('VirtualMachineInstance', vmi as Phased) : []),
    ...migrations.flatMap((migration) => phaseLines('VirtualMachineInstanceMigration', migration)),
  ];
  return lines.sort((a, b) => momentOf(b) - momentOf(a));
}

/** Lines without a time come last. */
const momentOf = ({ at }: Line): number => Date.parse(at ?? '') || 0;

/** `known` are conditions that are told already: a VM repeats those of its instance. */
function conditionLines(
  kind: string,
  object: (KubeObject & Conditioned) | undefined,
  known: readonly Condition[] = [],
): Line[] {
  const isKnown = ({ type, status }: Condition): boolean =>
    known.some((each) => each.type === type && each.status === status);
  const conditions = (object?.status?.conditions ?? []).filter((condition) => !isKnown(condition));
  const bad = new Set(checksOf(conditions).flatMap(({ type, verdict }) => (verdict === 'bad' ? [type] : [])));
  return conditions
    .filter(({ lastTransitionTime }) => lastTransitionTime)
    .map(({ type, status, reason, message, lastTransitionTime }) => ({
      key: `condition ${kind} ${type}`,
      type: bad.has(type) ? ('warning' as const) : ('condition' as const),
      title: `${type} became ${status === 'True' ? 'true' : status === 'False' ? 'false' : 'unknown'}`,
      text: message || reason || '',
      about: `${kind} ${object?.metadata.name ?? ''}`,
      at: lastTransitionTime,
      count: 1,
    }));
}

interface Conditioned {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

const PHASE_TEXTS: Readonly<Record<string, string>> = {
  'VirtualMachineInstance Pending': 'The instance was created.',
  'VirtualMachineInstance Scheduling': 'A node is looked for, and its pod is made.',
  'VirtualMachineInstance Scheduled': 'A node takes it.',
  'VirtualMachineInstance Running': 'The guest runs.',
  'VirtualMachineInstance Succeeded': 'The guest has shut down.',
  'VirtualMachineInstance Failed': 'The guest ended with an error.',
  'VirtualMachineInstance Unknown': 'Its node does not answer.',
  'VirtualMachineInstanceMigration Running': 'The guest moves to another node.',
  'VirtualMachineInstanceMigration Succeeded': 'The guest runs on the other node.',
  'VirtualMachineInstanceMigration Failed': 'The guest stays where it was.',
};

function phaseLines(kind: string, { metadata, status }: Phased): Line[] {
  return (status?.phaseTransitionTimestamps ?? []).map(({ phase = 'Unknown', phaseTransitionTimestamp }, index) => {
    const name = `${kind} ${phase}`;
    return {
      key: `phase ${kind} ${metadata.name} ${index}`,
      type: phase === 'Failed' ? ('warning' as const) : ('phase' as const),
      title: `Phase ${phase}`,
      text: (Object.hasOwn(PHASE_TEXTS, name) && PHASE_TEXTS[name]) || '',
      about: `${kind} ${metadata.name}`,
      at: phaseTransitionTimestamp ?? undefined,
      count: 1,
    };
  });
}
