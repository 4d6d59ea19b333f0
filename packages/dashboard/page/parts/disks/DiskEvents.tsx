import { useMemo } from 'react';
import { foldEvents, isAbout } from '../../decisions/events.ts';
import type { EventTabProps } from '../../pages/Machine.tsx';
import { EventList } from '../EventList.tsx';

const MOST = 6;

/** Events that tell of disks and discs. */
const ABOUT_DISKS = /Volume|Tray|Hot[Pp]lug|NotADisc|PVC|Attach|Detach|Mount/;

/** The last events that concern the machine's disks, with the reasons of failures. */
export function DiskEvents({ name, events }: Pick<EventTabProps, 'events'> & { readonly name: string }) {
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
