import { forbiddenText, type May, type Offer } from '../actions.ts';
import type { Machine } from '../machine.ts';
import { isReachable, streamPermission } from './guest.ts';
import { keyOfConsole, MOST_OPEN, MOST_SHOWN, workspaceQuery } from './workspace.ts';

const SERIAL = streamPermission('serial');

/** Whether the serial consoles of machines can be opened; of several, one that runs suffices. */
export function consolesOffer(machines: readonly Machine[], may: May): Offer {
  if (machines.length === 0) return { isOffered: false, reason: 'Select a machine first.' };
  const forbidden = machines.find(({ namespace }) => may(SERIAL, namespace) === false);
  if (forbidden) return { isOffered: false, reason: forbiddenText(SERIAL, forbidden.namespace) };
  const running = machines.filter(isReachable).length;
  if (running > MOST_OPEN) return { isOffered: false, reason: `At most ${MOST_OPEN} consoles can be open.` };
  if (running > 0) return { isOffered: true };
  return { isOffered: false, reason: machines.length === 1 ? 'It is not running.' : 'None of them is running.' };
}

/** Where the consoles of those that run are: of one on its own page, of several side by side. */
export function consolesAddress(machines: readonly Machine[]): string {
  const running = machines.filter(isReachable);
  const [first] = running;
  if (running.length === 1 && first) return `/machines/${first.namespace}/${first.name}/console`;
  const open = running.map(({ namespace, name }) => keyOfConsole({ kind: 'serial', namespace, name }));
  return `/consoles${workspaceQuery({ open, shown: open.slice(0, MOST_SHOWN), active: open[0] })}`;
}
