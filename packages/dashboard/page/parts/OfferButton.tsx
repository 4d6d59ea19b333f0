import type { ReactNode } from 'react';
import type { Offer } from '../decisions/actions.ts';
import { useNotify } from './Notices.tsx';

interface Props {
  readonly offer: Offer;
  readonly onClick: () => void;
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

/**
 * A button that says why it cannot be used, on hover, when it is clicked or tapped, and to screen readers; it stays
 * reachable by keyboard, so that everybody can find out.
 */
export function OfferButton({ offer: { isOffered, reason }, onClick, className, children }: Props) {
  const notify = useNotify();
  const explain = (): void => {
    if (reason) notify(reason);
  };
  return (
    <button
      type="button"
      className={className}
      aria-disabled={!isOffered}
      title={reason}
      onClick={isOffered ? onClick : explain}
    >
      {children}
      {reason && <span className="visually-hidden">: {reason}</span>}
    </button>
  );
}
