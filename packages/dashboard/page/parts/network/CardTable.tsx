import type { Vm } from '../../data/kinds.ts';
import type { Machine } from '../../decisions/machine.ts';
import type { CardLine } from '../../decisions/network/cards.ts';
import {
  CARD_PERMISSION,
  cardsObstacle,
  linkObstacle,
  removeCard,
  removeObstacle,
  setCardState,
} from '../../decisions/network/changes.ts';
import { offerOf } from '../../decisions/offers.ts';
import { Badge } from '../Badge.tsx';
import { ActDialog } from '../disks/ActDialog.tsx';
import { useChange } from '../disks/useChange.ts';
import { OfferButton } from '../OfferButton.tsx';
import { useMay } from '../session.tsx';
import { CopyButton } from './CopyButton.tsx';

export interface AskedCard {
  readonly action: 'remove' | 'up' | 'down';
  readonly card: CardLine;
}

interface Props {
  readonly cards: readonly CardLine[];
  readonly machine: Machine;
  readonly vm: Vm | undefined;
  readonly onAsk: (asked: AskedCard) => void;
}

const HEADS = ['Card', 'Network', 'MAC address', 'Addresses', 'Open ports', 'State', 'Actions'];

export function CardTable({ cards, machine, onAsk }: Props) {
  return (
    <div className="sheet-scroll" tabIndex={0} role="region" aria-label="Network cards">
      <table className="sheet">
        <thead>
          <tr>
            {HEADS.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {cards.map((card) => (
            <tr key={card.name}>
              <th scope="row" data-label="Card">
                {card.name}
                <small className="muted">{[card.device, card.model].filter(Boolean).join(', ')}</small>
              </th>
              <td data-label="Network">
                {card.network}
                <small className="muted">{card.binding}</small>
              </td>
              <td data-label="MAC address">
                {card.mac ? <Copied text={card.mac} what={`MAC address ${card.mac}`} /> : 'made at the start'}
              </td>
              <td data-label="Addresses">
                {card.addresses.length === 0 && '–'}
                {card.addresses.map((address) => (
                  <Copied key={address} text={address} what={`address ${address}`} />
                ))}
              </td>
              <td data-label="Open ports">{card.ports}</td>
              <td data-label="State" className="sheet-state">
                <Badge tone={card.state.tone}>{card.state.label}</Badge>
                {card.state.reason && <small>{card.state.reason}</small>}
              </td>
              <td data-label="Actions">
                <CardButtons card={card} machine={machine} onAsk={onAsk} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Copied({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <span className="copied">
      <code>{text}</code>
      <CopyButton text={text} what={what} />
    </span>
  );
}

function CardButtons({ card, machine, onAsk }: Pick<Props, 'machine' | 'onAsk'> & { readonly card: CardLine }) {
  const may = useMay();
  const general = cardsObstacle(machine);
  const offer = (obstacle: string | undefined) => offerOf(may, CARD_PERMISSION, machine.namespace, general ?? obstacle);
  const next = card.isUp ? 'down' : 'up';
  return (
    <div className="actions">
      <OfferButton offer={offer(linkObstacle(card))} onClick={() => onAsk({ action: next, card })}>
        {card.isUp ? 'Link down…' : 'Link up…'}
        <span className="visually-hidden"> of {card.name}</span>
      </OfferButton>
      <OfferButton offer={offer(removeObstacle(card, machine))} onClick={() => onAsk({ action: 'remove', card })}>
        Unplug…<span className="visually-hidden"> {card.name}</span>
      </OfferButton>
    </div>
  );
}

const WORDS = {
  up: { verb: 'Plug in the cable of', effect: 'The guest sees the link go up.' },
  down: { verb: 'Unplug the cable of', effect: 'The guest sees the link go down. Connections through it stall.' },
  remove: { verb: 'Unplug', effect: 'The card and its network leave the machine. Connections through it break.' },
} as const;

interface DialogProps {
  readonly asked: AskedCard;
  readonly machine: Machine;
  readonly vm: Vm;
  readonly onClose: () => void;
}

/** Asks before a card or its cable is changed. */
export function CardDialog({ asked: { action, card }, machine, vm, onClose }: DialogProps) {
  const change = useChange();
  const { verb, effect } = WORDS[action];
  const act = () =>
    change(action === 'remove' ? removeCard(machine, vm, card.name) : setCardState(machine, vm, card.name, action), {
      title: `${verb} ${card.name} of ${machine.name}`,
      done: action === 'remove' ? `${card.name} is being unplugged.` : `The link of ${card.name} goes ${action}.`,
      href: `/machines/${machine.namespace}/${machine.name}/network`,
    });
  return (
    <ActDialog title={`${verb} ${card.name}?`} button={`${verb} ${card.name}`} onClose={onClose} onAct={act}>
      <p>{machine.hasInstance ? effect : 'The machine starts that way.'}</p>
    </ActDialog>
  );
}
