import type { ReactNode } from 'react';
import { ACTIONS, type Action, offerFor, WORDS } from '../decisions/actions.ts';
import type { Machine } from '../decisions/machine.ts';
import { useMay } from './session.tsx';

interface Props {
  readonly machines: readonly Machine[];
  readonly onAction: (action: Action) => void;
  /** Further buttons, which stand before the one that deletes. */
  readonly children?: ReactNode;
}

/**
 * A button for each action. One that cannot be used now says why, and stays reachable by keyboard, so that everybody can
 * find out.
 */
export function ActionButtons({ machines, onAction, children }: Props) {
  const may = useMay();
  const button = (action: Action) => {
    const { isOffered, reason } = offerFor(action, machines, may);
    return (
      <button
        key={action}
        type="button"
        className={action === 'delete' ? 'danger' : undefined}
        aria-disabled={!isOffered}
        title={reason}
        onClick={() => isOffered && onAction(action)}
      >
        {WORDS[action].verb}
        {reason && <span className="visually-hidden">: {reason}</span>}
      </button>
    );
  };
  return (
    <div className="actions" role="group" aria-label="Actions">
      {ACTIONS.filter((action) => action !== 'delete').map(button)}
      {children}
      {button('delete')}
    </div>
  );
}
