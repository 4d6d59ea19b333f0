import type { Machine } from '../../decisions/machine.ts';
import type { Place } from './PlaceLinks.tsx';

/** What the view of a console gets, wherever it is drawn. */
export interface ViewProps {
  readonly machine: Machine;
  /** Whether the machine has such a console at all. */
  readonly isThere: boolean;
  readonly place: Place;
  /** Something was written. */
  readonly onOutput?: (() => void) | undefined;
}
