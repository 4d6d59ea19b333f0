import { useMemo } from 'react';
import type { EventObject } from '../../data/kinds.ts';
import type { FollowState } from '../../decisions/connection.ts';
import { foldEvents } from '../../decisions/events.ts';
import { disksOf, isOf, isRelated, type OfMachine } from '../../decisions/related.ts';
import { type Line, type Phased, timelineOf } from '../../decisions/timeline.ts';
import { sentenceOf } from '../../decisions/why.ts';
import type { TabProps } from '../../pages/Machine.tsx';
import { useCollection } from '../session.tsx';

const same = <T>(object: T): T => object;

/** Everything that is told about a machine and what belongs to it. What the server lacks or hides is left out. */
export function useTimeline({ machine, vm, vmi }: TabProps): {
  readonly lines: readonly Line[];
  readonly sentence: string;
  readonly state: FollowState;
} {
  const { name } = machine;
  const below = `/namespaces/${encodeURIComponent(machine.namespace)}`;
  const events = useCollection<EventObject, EventObject>(`/api/v1${below}/events`, same);
  const migrations = useOf(`/apis/kubevirt.io/v1${below}/virtualmachineinstancemigrations`, name);
  const snapshots = useOf(`/apis/snapshot.kubevirt.io/v1beta1${below}/virtualmachinesnapshots`, name);
  const restores = useOf(`/apis/snapshot.kubevirt.io/v1beta1${below}/virtualmachinerestores`, name);
  const own = useMemo(() => {
    const named = (kind: string, objects: readonly OfMachine[]): string[] =>
      objects.map(({ metadata }) => `${kind} ${metadata.name}`);
    const belonging = new Set([
      ...disksOf(vm, vmi),
      ...named('VirtualMachineInstanceMigration', migrations),
      ...named('VirtualMachineSnapshot', snapshots),
      ...named('VirtualMachineRestore', restores),
    ]);
    return events.rows.filter((event) => isRelated(event, name, belonging));
  }, [events.rows, name, vm, vmi, migrations, snapshots, restores]);
  const lines = useMemo(
    () => timelineOf({ vm, vmi, events: own, migrations: migrations as readonly Phased[] }),
    [vm, vmi, own, migrations],
  );
  return { lines, sentence: sentenceOf(machine, vm, vmi, foldEvents(own)), state: events.state };
}

function useOf(path: string, name: string): readonly OfMachine[] {
  const { rows } = useCollection<OfMachine, OfMachine>(path, same);
  return useMemo(() => rows.filter((object) => isOf(object, name)), [rows, name]);
}
