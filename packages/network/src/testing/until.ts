import { setTimeout as pause } from 'node:timers/promises';

/** Looks until a text is as wanted, or for so long as nobody need wait; then the text as it is. */
export async function until(look: () => Promise<string>, isSo: (text: string) => boolean): Promise<string> {
  const end = Date.now() + 5_000;
  for (;;) {
    const text = await look();
    if (isSo(text) || Date.now() > end) return text.trim();
    await pause(50);
  }
}
