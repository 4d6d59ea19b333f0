import { hasConsole } from '../../decisions/consoles/guest.ts';
import type { TabProps } from '../../pages/Machine.tsx';
import ScreenView from './ScreenView.tsx';

/** The screen as a view of a machine. */
export default function Screen({ machine, vm, vmi }: TabProps) {
  return <ScreenView machine={machine} isThere={hasConsole('screen', vm, vmi)} place="machine" />;
}
