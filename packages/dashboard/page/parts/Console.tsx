import { hasConsole } from '../decisions/consoles/guest.ts';
import type { TabProps } from '../pages/Machine.tsx';
import SerialView from './consoles/SerialView.tsx';

/** The serial console as a view of a machine. */
export default function Console({ machine, vm, vmi }: TabProps) {
  return <SerialView machine={machine} isThere={hasConsole('serial', vm, vmi)} place="machine" />;
}
