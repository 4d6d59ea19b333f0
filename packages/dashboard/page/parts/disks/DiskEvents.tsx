import { useMemo } from 'react';
import type { EventObject } from '../../data/kinds.ts';
import { foldEvents, isAbout } from '../../decisions/events.ts';
import type { Machine } from '../../decisions/machine.ts';
import { EventList } from '../EventList.tsx';
import { useCollection } from '../session.tsx';

const same = <T,>(object: T): T => object;
const MOST = 6;

/** Events that tell of disks and discs. */
const ABOUT_DISKS = /Volume|Tray|Hot[Pp]lug|NotADisc|PVC|Attach|Detach|Mount/;

/** The last events that concern the machine's disks, with the reasons of failures. */
export function DiskEvents({ machine: { namespace, name } }: { readonly machine: Machine }) {
  const events = useCollection<EventObject, EventObject>(
    `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`,
    same,
  );
  const told = useMemo(
    () =>
      foldEvents(
        events.rows.filter(
          (event) =>
            isAbout(event, name) &&
            (ABOUT_DISKS.test(event.reason ?? '') || /hp-volume|volume|disc/i.test(event.message ?? '')),
        ),
      ).slice(0, MOST),
    [events.rows, name],
  );
  return (
    <section className="card" aria-label="Events of disks">
      <h2>Events of disks</h2>
      <EventList events={told} state={events.state} />
    </section>
  );
}
