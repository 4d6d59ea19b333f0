import { formatClock } from './times.ts';

/** How a followed collection is doing. */
export type FollowState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'live' }
  | {
      readonly kind: 'waiting';
      readonly retryAtMs: number;
      readonly heardAtMs: number | undefined;
      /** When it was noticed that the connection is cut. */
      readonly cutAtMs: number;
      readonly reason: string;
    }
  | { readonly kind: 'refused'; readonly code: number; readonly reason: string };

/** The state of all connections together, for the top of the page. */
export interface ConnectionWords {
  readonly tone: 'ok' | 'busy' | 'err';
  readonly text: string;
  readonly detail?: string;
}

/** What to do about 401 of the cluster of `vireo dashboard`; a page of the server asks for another login. */
export const LOGIN_ENDED =
  'The login of your kubeconfig has ended. Log in again as you do for kubectl; the page then goes on by itself.';

/** After how long a cut is no hiccup any more. */
const OFFLINE_MS = 5_000;

/** Live · Connecting · Reconnecting in 4 s · Offline, data of 10:31:07. */
export function connectionWords(states: readonly FollowState[], nowMs: number): ConnectionWords {
  const waiting = states.filter((state) => state.kind === 'waiting');
  if (waiting.length > 0) {
    const retryAtMs = Math.min(...waiting.map((state) => state.retryAtMs));
    const cutAtMs = Math.min(...waiting.map((state) => state.cutAtMs));
    const heard = waiting.map((state) => state.heardAtMs).filter((ms) => ms !== undefined);
    const heardAtMs = heard.length > 0 ? Math.min(...heard) : undefined;
    const detail = waiting[0]?.reason;
    if (heardAtMs !== undefined && nowMs - cutAtMs >= OFFLINE_MS)
      return { tone: 'err', text: `Offline, data of ${formatClock(heardAtMs)}`, detail };
    const seconds = Math.max(0, Math.ceil((retryAtMs - nowMs) / 1000));
    return { tone: 'busy', text: seconds > 0 ? `Reconnecting in ${seconds} s` : 'Reconnecting', detail };
  }
  if (states.some(({ kind }) => kind === 'loading')) return { tone: 'busy', text: 'Connecting' };
  return { tone: 'ok', text: 'Live' };
}

/** Delays double from half a second to 15 s, and are spread so that pages do not come in step. `random` is in [0, 1). */
export const retryDelayMs = (attempt: number, random: number): number =>
  Math.min(500 * 2 ** attempt, 15_000) * (0.5 + random / 2);
