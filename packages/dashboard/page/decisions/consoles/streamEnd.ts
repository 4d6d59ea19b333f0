/** What a guest offers to a browser. */
export type ConsoleKind = 'serial' | 'screen';

/** Why a stream of a guest ended, for people, and what follows from it. */
export interface StreamEnd {
  /**
   * - `takenOver`: somebody else has it now; only the user decides to take it back.
   * - `occupied`: somebody else has it, and was not disturbed.
   * - `forbidden`, `absent`: trying again does not help.
   * - `off`: it is tried again when the machine runs.
   * - `retried`: it is tried again after a while.
   */
  readonly kind: 'takenOver' | 'occupied' | 'forbidden' | 'absent' | 'off' | 'retried';
  readonly text: string;
}

/** How a WebSocket ended; `vireo dashboard` closes with 4000 + HTTP's code when the cluster refused. */
export interface Closed {
  readonly code: number;
  readonly reason: string;
}

interface Circumstances {
  readonly kind: ConsoleKind;
  /** Whether the machine runs, as far as is known. */
  readonly isReachable: boolean;
  /** Whether the server was asked not to disturb somebody else. */
  readonly isPolite: boolean;
}

const NAMES: Readonly<Record<ConsoleKind, string>> = { serial: 'serial console', screen: 'screen' };

/** Why a stream ended, from the code and the words of its WebSocket. */
export function streamEnd({ code, reason }: Closed, { kind, isReachable, isPolite }: Circumstances): StreamEnd {
  const words = plain(reason);
  const name = NAMES[kind];
  if (/^taken over/i.test(words)) return { kind: 'takenOver', text: `Disconnected: ${words}.` };
  if (code === 4401 || code === 4403)
    return { kind: 'forbidden', text: `You are not allowed to use the ${name}. ${words}`.trim() };
  if (code === 4409 && isPolite) return { kind: 'occupied', text: `Somebody else is using the ${name}.` };
  if (code === 4400 && /^no (graphics|serial)/i.test(words))
    return { kind: 'absent', text: `This machine has no ${name}.` };
  if (!isReachable) return { kind: 'off', text: `The machine is not running. The ${name} connects when it runs.` };
  if (code >= 4400 && code < 4600)
    return { kind: 'retried', text: words || `The server refused the ${name} with HTTP ${code - 4000}.` };
  return { kind: 'retried', text: 'The connection was lost.' };
}

/**
 * What a request without an upgrade was answered, as if it had closed the stream: browsers do not tell why a handshake
 * failed. Servers that have nothing against the request itself ask for a WebSocket; then the reason stays unknown.
 */
export function endOfRefusal(code: number, message: string, isPolite: boolean): Closed | 'unknown' | 'maybeOccupied' {
  const isOnlyTheUpgrade = code === 400 && /websocket/i.test(message);
  if (!isOnlyTheUpgrade) return { code: 4000 + code, reason: message };
  return isPolite ? 'maybeOccupied' : 'unknown';
}

/** Said where a polite request failed without a reason. */
export const MAYBE_OCCUPIED: StreamEnd = {
  kind: 'occupied',
  text: 'The server refused the screen without a reason that browsers pass on. Somebody else may be using it.',
};

/** Reasons may be a guest's or another user's words: no control characters. */
const plain = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ').trim();
