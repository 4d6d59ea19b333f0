import type { WriteStream } from 'node:tty';

/** A line that says what is being done and for how long; on a terminal it is rewritten and gone at the end. */
export function createProgress(stream: WriteStream) {
  const startedAt = performance.now();
  let text = '';
  const line = (): string => `Measuring ${text} … ${Math.round((performance.now() - startedAt) / 1000)} s`;
  const rewrite = (): boolean => stream.write(`\r${line()}\x1b[K`);
  const ticker = stream.isTTY ? setInterval(rewrite, 1000) : undefined;
  return {
    show: (what: string): void => {
      text = what;
      if (stream.isTTY) rewrite();
      else stream.write(`${line()}\n`);
    },
    end: (): void => {
      clearInterval(ticker);
      if (stream.isTTY) stream.write('\r\x1b[K');
    },
  };
}
