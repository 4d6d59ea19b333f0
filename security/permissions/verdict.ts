import type { Answer } from '../wire.ts';

/** What is wrong with an answer. Whoever is let through may still be told that there is nothing, or nothing good. */
export function verdict({ status, body }: Answer, isAllowed: boolean, question: string): string | undefined {
  // 501: an action that says of itself that it is not there yet.
  if (status >= 500 && status !== 501) return `${question}: ${status} ${body.slice(0, 300)}`;
  const isRefused = status === 403 || status === 401;
  if (isRefused === !isAllowed) return undefined;
  return `${question}: ${isAllowed ? 'should be allowed' : 'should be refused'}, got ${status} ${body.slice(0, 300)}`;
}
