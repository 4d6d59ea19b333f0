import { useCallback } from 'react';
import type { Phase } from '../../data/guestConnection.ts';
import { offerFor } from '../../decisions/actions.ts';
import type { ConsoleKind, StreamEnd } from '../../decisions/consoles/streamEnd.ts';
import type { Machine } from '../../decisions/machine.ts';
import { useMay } from '../session.tsx';
import { useActions } from '../useActions.tsx';

interface Props {
  readonly kind: ConsoleKind;
  readonly machine: Machine;
  readonly phase: Phase;
  readonly onConnect: (takesOver: boolean) => void;
}

/** How a console is doing, and what the user can do about it. */
export function ConsoleStatus({ kind, machine, phase, onConnect }: Props) {
  return (
    <div className="console-status" role="status">
      {phase.kind === 'connecting' && 'Connecting…'}
      {phase.kind === 'connected' && CONNECTED[kind]}
      {phase.kind === 'ended' && (
        <>
          <span>{textOf(phase.end, machine)}</span>
          {phase.end.kind === 'off' && <StartButton machine={machine} />}
          <ConnectButtons end={phase.end} onConnect={onConnect} />
        </>
      )}
    </div>
  );
}

const CONNECTED = { serial: 'Connected. Press Enter if nothing is shown.', screen: 'Connected.' } as const;

const textOf = (end: StreamEnd, { state }: Machine): string =>
  end.kind === 'off' && state.group === 'starting' ? `${state.label}… It connects when the machine runs.` : end.text;

function ConnectButtons({ end, onConnect }: { end: StreamEnd; onConnect: Props['onConnect'] }) {
  if (end.kind === 'takenOver')
    return (
      <button type="button" onClick={() => onConnect(true)}>
        Take back
      </button>
    );
  if (end.kind === 'occupied')
    return (
      <>
        <button type="button" onClick={() => onConnect(true)}>
          Take over
        </button>
        <button type="button" onClick={() => onConnect(false)}>
          Try again
        </button>
      </>
    );
  if (end.kind !== 'retried') return null;
  return (
    <button type="button" onClick={() => onConnect(false)}>
      Connect now
    </button>
  );
}

/** Disabled with the reason where the user may not start the machine, or it makes no sense now. */
function StartButton({ machine }: { readonly machine: Machine }) {
  const may = useMay();
  const { begin, askedOf } = useActions(useCallback(() => {}, []));
  const { isOffered, reason } = offerFor('start', [machine], may);
  const asked = askedOf(machine);
  if (asked) return <span>{asked}… (asked)</span>;
  if (machine.state.group === 'starting') return null;
  return (
    <button
      type="button"
      aria-disabled={!isOffered}
      title={reason}
      onClick={() => isOffered && begin('start', [machine])}
    >
      Start
      {reason && <span className="visually-hidden">: {reason}</span>}
    </button>
  );
}
