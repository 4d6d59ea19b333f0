import { type Clock, pause } from '@vireo/kube';
import type { OutcomeAnswer } from './peerProtocol.ts';

/** Between two questions to a target that does not answer. */
const ASK_AGAIN_MS = 500;
/** While it does not, how often it is looked at what others say of it. */
export const LOOK_MS = 3_000;

/** Whom a source asks where its guest is. */
export interface Witnesses {
  /** The target. Its answer counts whenever it comes; a question that got none is asked again. */
  ask(signal: AbortSignal): Promise<OutcomeAnswer>;
  /** What others know: the VMI, and an administrator. Undefined while nobody does. */
  elsewhere(): Promise<OutcomeAnswer | undefined>;
  /** Told of each question that got no answer. */
  onSilence(error: unknown): void;
}

/** Asks until it is certain where a guest is. A question that takes long keeps nobody else from being heard. */
export async function certainOutcome(
  { ask, elsewhere, onSilence }: Witnesses,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<OutcomeAnswer> {
  const decided = new AbortController();
  const until = AbortSignal.any([signal, decided.signal]);
  const repeat = async (everyMs: number, look: () => Promise<OutcomeAnswer | undefined>): Promise<OutcomeAnswer> => {
    for (;;) {
      until.throwIfAborted();
      try {
        const answer = await look();
        if (answer) return answer;
      } catch (error) {
        until.throwIfAborted();
        onSilence(error);
      }
      await pause(everyMs, until, clock);
    }
  };
  const heard = pause(LOOK_MS, until, clock).then(() => repeat(LOOK_MS, elsewhere));
  try {
    return await Promise.race([repeat(ASK_AGAIN_MS, () => ask(until)), heard]);
  } finally {
    decided.abort();
  }
}
