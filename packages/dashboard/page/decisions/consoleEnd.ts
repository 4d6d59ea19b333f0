/** What to do after a console's connection has ended, and what to say. */
export interface ConsoleEnd {
  readonly text: string;
  /** Whether to connect again by itself. */
  readonly isRetried: boolean;
}

/** Why the connection ended, from the code and the words of the WebSocket. `vireo dashboard` sends 4000 + HTTP codes. */
export function consoleEnd(code: number, reason: string, isRunning: boolean): ConsoleEnd {
  const words = plain(reason);
  if (/taken over/i.test(words)) return { text: `Disconnected: ${words}.`, isRetried: false };
  if (code === 4401 || code === 4403)
    return { text: `You are not allowed to use the console. ${words}`, isRetried: false };
  if (!isRunning) return { text: 'The machine is not running. The console connects when it runs.', isRetried: true };
  if (code >= 4400 && code < 4600)
    return { text: words || `The server refused the console with HTTP ${code - 4000}.`, isRetried: true };
  return { text: 'The connection was lost.', isRetried: true };
}

/** Reasons may be a guest's or another user's words: no control characters. */
const plain = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ').trim();
