import { useMemo, useState } from 'react';
import { cardsOf } from '../../decisions/network/cards.ts';
import { CARD_PERMISSION, cardsObstacle } from '../../decisions/network/changes.ts';
import { offerOf } from '../../decisions/offers.ts';
import type { TabProps } from '../../pages/Machine.tsx';
import '../../styles/disks.css';
import '../../styles/network.css';
import { OfferButton } from '../OfferButton.tsx';
import { useMay } from '../session.tsx';
import { AddCardDialog } from './AddCardDialog.tsx';
import { type AskedCard, CardDialog, CardTable } from './CardTable.tsx';
import { Policies } from './Policies.tsx';
import { Reach } from './Reach.tsx';

/** Network cards of a machine, the Services that lead to it, and the policies that restrict it. */
export default function Network({ machine, vm, vmi }: TabProps) {
  const may = useMay();
  const [isAdding, setAdding] = useState(false);
  const [asked, setAsked] = useState<AskedCard>();
  const cards = useMemo(() => cardsOf(vm, vmi), [vm, vmi]);
  const add = offerOf(may, CARD_PERMISSION, machine.namespace, cardsObstacle(machine));
  const refused = vmi?.status?.conditions?.find(
    ({ status, reason }) => status === 'False' && reason === 'HotPlugNetworkInterfaceError',
  );
  return (
    <div className="network">
      <div className="toolbar">
        <OfferButton offer={add} onClick={() => setAdding(true)}>
          Plug in a card…
        </OfferButton>
        <span className="muted">
          {machine.hasInstance
            ? 'The machine runs: cards on further networks come and go at once.'
            : 'The machine is off: changes take effect when it starts.'}
        </span>
      </div>
      {refused && (
        <p className="callout callout-err" role="status">
          {refused.message ?? refused.reason}
        </p>
      )}
      {cards.length === 0 ? (
        <p className="muted">
          {vm
            ? 'The spec lists no cards: the machine has one on the pod network.'
            : 'The machine has no network cards.'}
        </p>
      ) : (
        <CardTable cards={cards} machine={machine} vm={vm} onAsk={setAsked} />
      )}
      <Reach machine={machine} vm={vm} vmi={vmi} />
      <Policies machine={machine} vm={vm} vmi={vmi} />
      {isAdding && vm && (
        <AddCardDialog
          machine={machine}
          vm={vm}
          taken={cards.map(({ name }) => name)}
          onClose={() => setAdding(false)}
        />
      )}
      {asked && vm && <CardDialog asked={asked} machine={machine} vm={vm} onClose={() => setAsked(undefined)} />}
    </div>
  );
}
