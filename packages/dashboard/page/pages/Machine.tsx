import { lazy, Suspense, useCallback, useMemo } from 'react';
import { Link } from 'wouter';
import type { EventObject, Vm, Vmi } from '../data/kinds.ts';
import { whyOf } from '../decisions/conditions.ts';
import { foldEvents, isAbout } from '../decisions/events.ts';
import { instanceAlone, type Machine, machineOf, vmiRow, vmRow } from '../decisions/machine.ts';
import { ActionButtons } from '../parts/ActionButtons.tsx';
import { EventList } from '../parts/EventList.tsx';
import { GraphTree } from '../parts/GraphTree.tsx';
import { Overview } from '../parts/Overview.tsx';
import { StateBadge } from '../parts/StateBadge.tsx';
import { useCollection } from '../parts/session.tsx';
import { useActions } from '../parts/useActions.tsx';

// Loaded when used: together they are larger than all the rest.
const Console = lazy(() => import('../parts/Console.tsx'));
const Manifest = lazy(() => import('../parts/Manifest.tsx'));

const TABS = [
  ['overview', 'Overview'],
  ['console', 'Console'],
  ['events', 'Events'],
  ['graph', 'Depends on'],
  ['yaml', 'YAML'],
] as const;

const same = <T,>(object: T): T => object;

interface Props {
  readonly namespace: string;
  readonly name: string;
  readonly tab: string;
}

/** One machine: what it is, how it is doing, and what can be done with it. */
export function MachinePage({ namespace, name, tab }: Props) {
  const one = `?fieldSelector=${encodeURIComponent(`metadata.name=${name}`)}`;
  const below = `/namespaces/${encodeURIComponent(namespace)}`;
  const vms = useCollection<Vm, Vm>(`/apis/kubevirt.io/v1${below}/virtualmachines${one}`, same);
  const vmis = useCollection<Vmi, Vmi>(`/apis/kubevirt.io/v1${below}/virtualmachineinstances${one}`, same);
  const events = useCollection<EventObject, EventObject>(`/api/v1${below}/events`, same);
  const vm = vms.rows[0];
  const vmi = vmis.rows[0];
  const machine = useMemo(() => machineFrom(vm, vmi), [vm, vmi]);
  const told = useMemo(() => foldEvents(events.rows.filter((event) => isAbout(event, name))), [events.rows, name]);
  const { begin, askedOf, dialog } = useActions(useCallback(() => {}, []));

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
        <StateBadge state={machine.state} asked={askedOf(machine)} />
        {machine.needsRestart && <span className="small-mark">restart required</span>}
        <ActionButtons machines={[machine]} onAction={(action) => begin(action, [machine])} />
      </div>
      {why && <p className="why">{why}</p>}
      <nav className="tabs" aria-label="Views of the machine">
        {TABS.map(([key, title]) => (
          <Link
            key={key}
            href={`/machines/${namespace}/${name}${key === 'overview' ? '' : `/${key}`}`}
            aria-current={tab === key ? 'page' : undefined}
          >
            {title}
          </Link>
        ))}
      </nav>
      <Suspense fallback={<p className="muted">Loading…</p>}>
        {tab === 'overview' && (
          <Overview machine={machine} vm={vm} vmi={vmi} events={told} eventsState={events.state} />
        )}
        {tab === 'console' && <Console machine={machine} />}
        {tab === 'events' && <EventList events={told} state={events.state} />}
        {tab === 'graph' && <GraphTree machine={machine} />}
        {tab === 'yaml' && <Manifest vm={vm} vmi={vmi} />}
      </Suspense>
      {dialog}
    </section>
  );
}

function machineFrom(vm: Vm | undefined, vmi: Vmi | undefined): Machine | undefined {
  const instance = vmi && vmiRow(vmi);
  return vm ? machineOf(vmRow(vm), instance) : instance && instanceAlone(instance);
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
