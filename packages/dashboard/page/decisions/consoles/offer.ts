import { forbiddenText, type May, type Offer } from '../actions.ts';
import type { Machine } from '../machine.ts';
import { isReachable, streamPermission } from './guest.ts';
import { keyOfConsole, MOST_OPEN, MOST_SHOWN, workspaceQuery } from './workspace.ts';

const SERIAL = streamPermission('serial');
const MOST_NAMES = 5;

/** Whether the serial consoles of machines can be opened; of several, one that runs suffices. */
export function consolesOffer(machines: readonly Machine[], may: May): Offer {
  if (machines.length === 0) return { isOffered: false, reason: 'Select a machine first.' };
  const [first] = machines;
  const allowed = machines.filter(({ namespace }) => may(SERIAL, namespace) !== false);
  if (first && allowed.length === 0) return { isOffered: false, reason: forbiddenText(SERIAL, first.namespace) };
  const running = allowed.filter(isReachable).length;
  if (running > MOST_OPEN) return { isOffered: false, reason: `At most ${MOST_OPEN} consoles can be open.` };
  if (running > 0) return { isOffered: true };
  return { isOffered: false, reason: machines.length === 1 ? 'It is not running.' : 'None of them is running.' };
}

/** Which consoles are not opened with the others, because the user may not; undefined if there are none. */
export function leftOutText(machines: readonly Machine[], may: May): string | undefined {
  const names = machines
    .filter((machine) => isReachable(machine) && may(SERIAL, machine.namespace) === false)
    .map(({ key }) => key);
  if (names.length === 0) return undefined;
  const more = names.length - MOST_NAMES;
  return `You are not allowed to open ${names.slice(0, MOST_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}

/** Where the consoles are that run and that the user may open: of one on its own page, of several side by side. */
export function consolesAddress(machines: readonly Machine[], may: May): string {
  const running = machines.filter((machine) => isReachable(machine) && may(SERIAL, machine.namespace) !== false);
  const [first] = running;
  if (running.length === 1 && first) return `/machines/${first.namespace}/${first.name}/console`;
  const open = running.map(({ namespace, name }) => keyOfConsole({ kind: 'serial', namespace, name }));
  return `/consoles${workspaceQuery({ open, shown: open.slice(0, MOST_SHOWN), active: open[0] })}`;
}
