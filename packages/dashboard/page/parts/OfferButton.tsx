import type { ReactNode } from 'react';
import type { Offer } from '../decisions/actions.ts';

interface Props {
  readonly offer: Offer;
  readonly onClick: () => void;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A button that says why it cannot be used, and stays reachable by keyboard, so that everybody can find out. */
export function OfferButton({ offer: { isOffered, reason }, onClick, className, children }: Props) {
  return (
    <button
      type="button"
      className={className}
      aria-disabled={!isOffered}
      title={reason}
      onClick={() => isOffered && onClick()}
    >
      {children}
      {reason && <span className="visually-hidden">: {reason}</span>}
    </button>
  );
}
