import { useLocation } from 'wouter';
import type { Offer } from '../decisions/actions.ts';
import { consolesAddress, consolesOffer, leftOutText } from '../decisions/consoles/offer.ts';
import { CONSOLES, isServed } from '../decisions/features.ts';
import type { Machine } from '../decisions/machine.ts';
import { useNotify } from './Notices.tsx';
import { useHas, useMay } from './session.tsx';

/** Opens the serial consoles of machines. */
export function useConsoles(): {
  /** Whether the server has consoles. */
  readonly isServed: boolean;
  readonly offerFor: (machines: readonly Machine[]) => Offer;
  readonly open: (machines: readonly Machine[]) => void;
} {
  const may = useMay();
  const has = useHas();
  const notify = useNotify();
  const [, navigate] = useLocation();
  return {
    isServed: isServed(has, [CONSOLES]),
    offerFor: (machines) => consolesOffer(machines, may),
    open: (machines) => {
      navigate(consolesAddress(machines, may));
      const leftOut = leftOutText(machines, may);
      if (leftOut) notify(leftOut);
    },
  };
}
