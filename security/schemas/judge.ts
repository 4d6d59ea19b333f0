import { NoAnswer, type Received, type Sent } from '../../oracle/servers/connection.ts';
import type { PlayedServer } from '../../oracle/servers/server.ts';
import { verdict } from '../fuzz/verdict.ts';
import type { Ground } from '../ground.ts';
import type { Trial } from '../part.ts';
import { NoAnswer as NoAnswerOnWire, type Wire } from '../wire.ts';

const SLOW_MS = 8000;
/** A request has at most 3 MiB; an answer may repeat it, and say what is wrong with it. */
const MAX_ANSWER_BYTES = 16 << 20;

/** The server under attack, as cases are played on it: every answer is judged. */
export function judged(ground: Ground, wire: Wire, trial: Trial, label: () => string): PlayedServer {
  const send = async (sent: Sent): Promise<Received> => {
    const startedAt = performance.now();
    try {
      const answer = await wire.send(sent);
      const tookMs = performance.now() - startedAt;
      const problem =
        verdict(answer, sent.path, ground.home) ?? tooMuch(answer) ?? (trial.isShort ? undefined : tooSlow(tookMs));
      trial.check(problem && describe(label(), sent, problem));
      return answer;
    } catch (error) {
      if (!(error instanceof NoAnswerOnWire)) throw error;
      trial.check(describe(label(), sent, `got no answer: ${error.message}`));
      throw new NoAnswer(error.message);
    }
  };
  return {
    name: 'ours',
    connection: { send, close: () => wire.close() },
    output: () => ground.output().slice(-2000),
    [Symbol.asyncDispose]: async () => wire.close(),
  };
}

/** What is wrong with the size of an answer. */
export function tooMuch({ headers, body }: Pick<Received, 'headers' | 'body'>): string | undefined {
  const bytes = body.length + JSON.stringify(headers).length;
  return bytes > MAX_ANSWER_BYTES ? `was answered with ${bytes} bytes` : undefined;
}

const tooSlow = (ms: number): string | undefined =>
  ms > SLOW_MS ? `was answered after ${Math.round(ms)} ms` : undefined;

const describe = (label: string, { method, path, body }: Sent, problem: string): string =>
  `${label}: ${method} ${path.slice(0, 200)} ${problem}\n    with ${(body ?? 'no body').slice(0, 1500)}`;
