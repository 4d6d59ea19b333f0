import { useState } from 'react';
import type { Snapshot } from '../../data/collection.ts';
import type { EventObject, Vmi } from '../../data/kinds.ts';
import { type About, eventPaths, eventRow, launchersOf } from '../../decisions/events.ts';
import { useCollections } from '../session.tsx';

/** Events of some objects of a namespace. Views that want the same follow them once. */
export const useEvents = (namespace: string, about: About): Snapshot<EventObject> =>
  useCollections<EventObject, EventObject>(eventPaths(namespace, about), eventRow);

/** How many launchers of one machine are remembered: what happened to the last ones says why there is another one. */
const MOST_LAUNCHERS = 4;

/** Events of a VM, its instance, which has the same name, and its launcher pods since the page was opened. */
export function useMachineEvents(namespace: string, name: string, vmi: Vmi | undefined): Snapshot<EventObject> {
  const [known, setKnown] = useState<readonly string[]>([]);
  const added = launchersOf(vmi).filter((uid) => !known.includes(uid));
  const uids = added.length > 0 ? [...known, ...added].slice(-MOST_LAUNCHERS) : known;
  if (added.length > 0) setKnown(uids);
  return useEvents(namespace, { names: [name], uids });
}
