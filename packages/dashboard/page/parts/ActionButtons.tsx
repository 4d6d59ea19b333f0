import type { ReactNode } from 'react';
import { ACTIONS, type Action, offerFor, WORDS } from '../decisions/actions.ts';
import type { Machine } from '../decisions/machine.ts';
import { OfferButton } from './OfferButton.tsx';
import { useMay } from './session.tsx';

interface Props {
  readonly machines: readonly Machine[];
  readonly onAction: (action: Action) => void;
  /** Further buttons, which stand before the one that deletes. */
  readonly children?: ReactNode;
}

/** A button for each action. */
export function ActionButtons({ machines, onAction, children }: Props) {
  const may = useMay();
  const button = (action: Action) => (
    <OfferButton
      key={action}
      className={WORDS[action].isDanger ? 'danger' : undefined}
      offer={offerFor(action, machines, may)}
      onClick={() => onAction(action)}
    >
      {WORDS[action].verb}
    </OfferButton>
  );
  return (
    <div className="actions" role="group" aria-label="Actions">
      {ACTIONS.filter((action) => action !== 'delete').map(button)}
      {children}
      {button('delete')}
    </div>
  );
}
