import type { ReactNode } from 'react';
import type { Vm, Vmi } from '../data/kinds.ts';
import { checksOf } from '../decisions/conditions.ts';
import type { FollowState } from '../decisions/connection.ts';
import type { FoldedEvent } from '../decisions/events.ts';
import type { Machine } from '../decisions/machine.ts';
import { formatBytes } from '../decisions/quantity.ts';
import { formatTime } from '../decisions/times.ts';
import { Age } from './Age.tsx';
import { SmallCharts } from './charts/SmallCharts.tsx';
import { EventList } from './EventList.tsx';
import { useNow } from './session.tsx';

interface Props {
  readonly machine: Machine;
  readonly vm: Vm | undefined;
  readonly vmi: Vmi | undefined;
  readonly events: readonly FoldedEvent[];
  readonly eventsState: FollowState;
}

const FEW_EVENTS = 5;

/** Facts, conditions and the last events. */
export function Overview({ machine, vm, vmi, events, eventsState }: Props) {
  const now = useNow(1_000);
  const checks = checksOf(vmi ? vmi.status?.conditions : vm?.status?.conditions, {
    isOff: machine.state.group === 'off',
  });
  return (
    <div className="overview">
      <section className="card" aria-label="Facts">
        <h2>Facts</h2>
        <dl className="facts">
          <Fact name="CPU">{machine.cpus ?? '–'}</Fact>
          <Fact name="Memory">{machine.memoryBytes === undefined ? '–' : formatBytes(machine.memoryBytes)}</Fact>
          {vm?.spec.instancetype?.name && <Fact name="Instance type">{vm.spec.instancetype.name}</Fact>}
          <Fact name="Addresses">{machine.addresses.length > 0 ? machine.addresses.join(', ') : '–'}</Fact>
          <Fact name="Node">{machine.node ?? '–'}</Fact>
          <Fact name="Guest OS">{machine.guestOs ?? (vmi ? 'not known: no guest agent reports' : '–')}</Fact>
          {vm && <Fact name="Run strategy">{vm.spec.runStrategy ?? (vm.spec.running ? 'Always' : 'Halted')}</Fact>}
          <Fact name="Disks">{disksOf(vm, vmi) || 'none'}</Fact>
          <Fact name="Created">
            <Age time={machine.createdAt} now={now} /> ago, {formatTime(machine.createdAt)}
          </Fact>
          <Fact name="Labels">{labelsText(machine.labels) || 'none'}</Fact>
        </dl>
      </section>
      <section className="card" aria-label="Conditions">
        <h2>Conditions</h2>
        {checks.length === 0 && <p className="muted">None are reported.</p>}
        <ul className="checks">
          {checks.map(({ type, verdict, text, since }) => (
            <li key={type} className={`check-${verdict}`}>
              <span className="check-icon" aria-hidden="true">
                {verdict === 'good' ? '✓' : verdict === 'bad' ? '✕' : '·'}
              </span>
              <span>
                <strong>{type}</strong> <span className="muted">{text}</span>
              </span>
              {since && <Age time={since} now={now} />}
            </li>
          ))}
        </ul>
      </section>
      <SmallCharts machine={machine} />
      <section className="card card-wide" aria-label="Last events">
        <h2>Last events</h2>
        <EventList events={events.slice(0, FEW_EVENTS)} state={eventsState} />
      </section>
    </div>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const labelsText = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');

function disksOf(vm: Vm | undefined, vmi: Vmi | undefined): string {
  const volumes = vmi?.spec.volumes ?? vm?.spec.template?.spec?.volumes ?? [];
  return volumes
    .map(({ name, dataVolume, persistentVolumeClaim, containerDisk }) => {
      const source = dataVolume?.name ?? persistentVolumeClaim?.claimName ?? containerDisk?.image;
      return source ? `${name} (${source})` : name;
    })
    .join(', ');
}
