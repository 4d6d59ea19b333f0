import { ApiError } from '@vireo/api';
import type { WebSocket } from 'ws';
import type { Sharing } from '../actions/action.ts';

const NORMAL = 1000;
/** Bytes, by the protocol of WebSockets. */
const MAX_REASON_BYTES = 123;

interface Session {
  readonly client: WebSocket;
  readonly sharing: Sharing;
  /** Who is about to take over. */
  successor?: string;
}

/** A place that a stream wants to take. */
export interface Claim {
  /** The stream is open: it takes the place, and the previous one gets a message and is closed. */
  take(client: WebSocket): void;
  /** It did not come to that: who had the place keeps it. */
  abandon(): void;
}

const NO_CLAIM: Claim = { take: () => {}, abandon: () => {} };

/**
 * Who holds a console or a screen: one at a time. A node drops its old stream as soon as a new one comes, so the old one
 * learns its successor before that, and says so whichever end closes first.
 */
export class Sessions {
  readonly #byPlace = new Map<string, Session>();
  readonly #turns = new Map<string, Promise<unknown>>();

  /** Opens streams of a place one after the other: the node and we must agree on who came last. */
  async inTurn<T>(place: string, sharing: Sharing, open: () => Promise<T>): Promise<T> {
    if (sharing === 'parallel') return open();
    const before = this.#turns.get(place) ?? Promise.resolve();
    const turn = before.then(open, open);
    this.#turns.set(place, turn);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(place) === turn) this.#turns.delete(place);
    }
  }

  /** Refuses who would rather not disturb whoever has the place. */
  requireFree(place: string, sharing: Sharing): void {
    if (sharing === 'exclusiveVncOrRefuse' && this.#byPlace.has(place))
      throw new ApiError('Conflict', 'Active VNC connection. Request denied.', undefined, 409);
  }

  /** `who` is shown to whoever has the place now. */
  claim(place: string, who: string, sharing: Sharing): Claim {
    if (sharing === 'parallel') return NO_CLAIM;
    this.requireFree(place, sharing);
    const old = this.#byPlace.get(place);
    if (old) old.successor = who;
    return {
      take: (client) => {
        // Not `old`: another stream may have come in between.
        const current = this.#byPlace.get(place);
        if (current) end(current, who);
        this.#hold(place, { client, sharing });
      },
      abandon: () => {
        if (old) old.successor = undefined;
      },
    };
  }

  /** What a stream of that place says as its last word: who took it over, where that is why it ends. */
  farewell(place: string, client: WebSocket): void {
    const session = this.#byPlace.get(place);
    if (session?.client === client && session.successor !== undefined) end(session, session.successor);
  }

  #hold(place: string, session: Session): void {
    this.#byPlace.set(place, session);
    session.client.once('close', () => {
      if (this.#byPlace.get(place) === session) this.#byPlace.delete(place);
    });
  }
}

function end({ client, sharing }: Session, successor: string): void {
  if (client.readyState !== client.OPEN) return;
  const news = `taken over by ${printable(successor)}`;
  // In a screen's stream a line of text would be noise.
  if (sharing === 'exclusiveConsole') client.send(Buffer.from(`\r\nThis console was ${news}.\r\n`));
  client.resume();
  client.close(NORMAL, shorten(news));
}

/** A name is data: on somebody else's terminal it must not be a command. */
const printable = (name: string): string => name.replace(/\p{C}/gu, '?');

/** The longest beginning that a close frame takes. A character that was cut through would not fit any more. */
function shorten(text: string): string {
  const room = new Uint8Array(MAX_REASON_BYTES);
  return text.slice(0, new TextEncoder().encodeInto(text, room).read);
}
