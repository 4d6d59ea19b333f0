import { Suspense, useCallback, useMemo } from 'react';
import { Link } from 'wouter';
import type { Snapshot } from '../data/collection.ts';
import { type EventObject, type Vm, type Vmi, whole } from '../data/kinds.ts';
import { whyOf } from '../decisions/conditions.ts';
import { foldEvents, isAbout } from '../decisions/events.ts';
import { instanceAlone, type Machine, machineOf, vmiRow, vmRow } from '../decisions/machine.ts';
import { MACHINE_TABS, servedTabs, tabAddress } from '../decisions/machineTabs.ts';
import { guestRow } from '../decisions/nodes/guest.ts';
import { ActionButtons } from '../parts/ActionButtons.tsx';
import { RestartMark } from '../parts/disks/RestartMark.tsx';
import { useMachineEvents } from '../parts/events/useEvents.ts';
import { InstanceProblem } from '../parts/ListStates.tsx';
import { lazyPart } from '../parts/lazyPart.ts';
import { MigrateButton } from '../parts/nodes/MigrateButton.tsx';
import { MigrationProgress } from '../parts/nodes/MigrationProgress.tsx';
import { Overview } from '../parts/Overview.tsx';
import { StateBadge } from '../parts/StateBadge.tsx';
import { useCollection, useHas } from '../parts/session.tsx';
import { useActions } from '../parts/useActions.tsx';

// Loaded when used: together they are larger than all the rest.
const Console = lazyPart(() => import('../parts/Console.tsx'));
const Screen = lazyPart(() => import('../parts/screens/Screen.tsx'));
const Charts = lazyPart(() => import('../parts/charts/Charts.tsx'));
const Disks = lazyPart(() => import('../parts/disks/Disks.tsx'));
const Network = lazyPart(() => import('../parts/network/Network.tsx'));
const Snapshots = lazyPart(() => import('../parts/snapshots/Snapshots.tsx'));
const Timeline = lazyPart(() => import('../parts/events/Timeline.tsx'));
const Graph = lazyPart(() => import('../parts/graph/Graph.tsx'));
const Manifest = lazyPart(() => import('../parts/yaml/Manifest.tsx'));

/** What each view of a machine gets. Both objects are as the server last told them. */
export interface TabProps {
  readonly machine: Machine;
  /** Undefined for an instance without a VM. */
  readonly vm: Vm | undefined;
  /** Undefined while the machine is off. */
  readonly vmi: Vmi | undefined;
}

/** What views get that tell what happened. */
export interface EventTabProps extends TabProps {
  /** Of the VM, its instance and its launcher pods. */
  readonly events: Snapshot<EventObject>;
}

interface Props {
  readonly namespace: string;
  readonly name: string;
  readonly tab: string;
}

/** One machine: what it is, how it is doing, and what can be done with it. */
export function MachinePage({ namespace, name, tab }: Props) {
  const one = `?fieldSelector=${encodeURIComponent(`metadata.name=${name}`)}`;
  const below = `/namespaces/${encodeURIComponent(namespace)}`;
  const vms = useCollection<Vm, Vm>(`/apis/kubevirt.io/v1${below}/virtualmachines${one}`, whole);
  const vmis = useCollection<Vmi, Vmi>(`/apis/kubevirt.io/v1${below}/virtualmachineinstances${one}`, whole);
  const vm = vms.rows[0];
  const vmi = vmis.rows[0];
  const events = useMachineEvents(namespace, name, vmi);
  const isInstanceKnown = vmis.state.kind === 'live';
  const machine = useMemo(() => machineFrom(vm, vmi, isInstanceKnown), [vm, vmi, isInstanceKnown]);
  const told = useMemo(() => foldEvents(events.rows.filter((event) => isAbout(event, name))), [events.rows, name]);
  const { begin, askedOf, dialog } = useActions(useCallback(() => {}, []));
  const served = servedTabs(useHas());

  if (!machine) {
    if (vms.state.kind === 'loading' || vmis.state.kind === 'loading') return null;
    return (
      <Missing namespace={namespace} name={name} reason={vms.state.kind === 'refused' ? vms.state.reason : undefined} />
    );
  }
  const conditions = [...(vm?.status?.conditions ?? []), ...(vmi?.status?.conditions ?? [])];
  const why = whyOf(machine.state, conditions, told);
  return (
    <section className="machine" aria-label={`Machine ${name}`}>
      <p className="crumbs">
        <Link href="/">Machines</Link> / {namespace}
      </p>
      <div className="page-head">
        <h1 title={name}>{name}</h1>
        <StateBadge state={machine.state} asked={askedOf(machine)} move={machine.move} />
        {vm && machine.needsRestart && <RestartMark vm={vm} vmi={vmi} />}
        <ActionButtons machines={[machine]} onAction={(action) => begin(action, [machine])}>
          <MigrateButton
            guest={vmi && guestRow(vmi)}
            namespace={namespace}
            isAnswering={vmis.state.kind !== 'loading'}
          />
        </ActionButtons>
      </div>
      {why && <p className="why">{why}</p>}
      <InstanceProblem vms={vms.state} instances={vmis.state} />
      <MigrationProgress namespace={namespace} name={name} node={machine.node} move={machine.move} />
      <nav className="tabs" aria-label="Views of the machine">
        {MACHINE_TABS.filter((each) => each.key === tab || served.includes(each)).map(({ key, title }) => (
          <Link key={key} href={tabAddress(machine, key)} aria-current={tab === key ? 'page' : undefined}>
            {title}
          </Link>
        ))}
      </nav>
      <Suspense fallback={<p className="muted">Loading…</p>}>
        {tab === 'overview' && (
          <Overview machine={machine} vm={vm} vmi={vmi} events={told} eventsState={events.state} />
        )}
        {tab === 'console' && <Console {...{ machine, vm, vmi }} />}
        {tab === 'events' && <Timeline {...{ machine, vm, vmi, events }} />}
        {tab === 'screen' && <Screen {...{ machine, vm, vmi }} />}
        {tab === 'metrics' && <Charts {...{ machine, vm, vmi }} />}
        {tab === 'disks' && <Disks {...{ machine, vm, vmi, events }} />}
        {tab === 'network' && <Network {...{ machine, vm, vmi }} />}
        {tab === 'snapshots' && <Snapshots {...{ machine, vm, vmi }} />}
        {tab === 'graph' && <Graph {...{ machine, vm, vmi }} />}
        {tab === 'yaml' && <Manifest vm={vm} vmi={vmi} />}
      </Suspense>
      {dialog}
    </section>
  );
}

function machineFrom(vm: Vm | undefined, vmi: Vmi | undefined, isInstanceKnown: boolean): Machine | undefined {
  const instance = vmi && vmiRow(vmi);
  return vm ? machineOf(vmRow(vm), instance, isInstanceKnown) : instance && instanceAlone(instance);
}

function Missing({ namespace, name, reason }: { namespace: string; name: string; reason: string | undefined }) {
  return (
    <div className="empty">
      <h1>{reason ? 'The machine cannot be read' : `There is no machine ${name} in namespace ${namespace}`}</h1>
      <p>{reason ?? 'It may have been deleted. If it comes back, it appears here.'}</p>
      <p>
        <Link href="/">All machines</Link>
      </p>
    </div>
  );
}
