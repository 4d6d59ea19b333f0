import { useMemo } from 'react';
import { whole } from '../../data/kinds.ts';
import type { FollowState } from '../../decisions/connection.ts';
import { foldEvents } from '../../decisions/events.ts';
import { disksOf, isRelated, lastOf, nameIn, type OfMachine } from '../../decisions/related.ts';
import { type Line, type Phased, timelineOf } from '../../decisions/timeline.ts';
import { sentenceOf } from '../../decisions/why.ts';
import type { EventTabProps } from '../../pages/Machine.tsx';
import { useCollection } from '../session.tsx';
import { useEvents } from './useEvents.ts';

/** Everything that is told about a machine and what belongs to it. What the server lacks or hides is left out. */
export function useTimeline({ machine, vm, vmi, events }: EventTabProps): {
  readonly lines: readonly Line[];
  readonly sentence: string;
  readonly state: FollowState;
} {
  const { name } = machine;
  const below = `/namespaces/${encodeURIComponent(machine.namespace)}`;
  const migrations = useOf(`/apis/kubevirt.io/v1${below}/virtualmachineinstancemigrations`, name);
  const snapshots = useOf(`/apis/snapshot.kubevirt.io/v1beta1${below}/virtualmachinesnapshots`, name);
  const restores = useOf(`/apis/snapshot.kubevirt.io/v1beta1${below}/virtualmachinerestores`, name);
  const belonging = useMemo(() => {
    const named = (kind: string, objects: readonly OfMachine[]): string[] =>
      objects.map(({ metadata }) => `${kind} ${metadata.name}`);
    return new Set([
      ...disksOf(vm, vmi),
      ...named('VirtualMachineInstanceMigration', migrations),
      ...named('VirtualMachineSnapshot', snapshots),
      ...named('VirtualMachineRestore', restores),
    ]);
  }, [vm, vmi, migrations, snapshots, restores]);
  const others = useEvents(machine.namespace, {
    names: [...belonging].map(nameIn).filter((each) => each !== name),
  });
  const own = useMemo(
    () => [...events.rows, ...others.rows].filter((event) => isRelated(event, name, belonging)),
    [events.rows, others.rows, name, belonging],
  );
  const lines = useMemo(
    () => timelineOf({ vm, vmi, events: own, migrations: migrations as readonly Phased[] }),
    [vm, vmi, own, migrations],
  );
  return { lines, sentence: sentenceOf(machine, vm, vmi, foldEvents(own)), state: events.state };
}

function useOf(path: string, name: string): readonly OfMachine[] {
  const { rows } = useCollection<OfMachine, OfMachine>(path, whole);
  return useMemo(() => lastOf(rows, name), [rows, name]);
}
