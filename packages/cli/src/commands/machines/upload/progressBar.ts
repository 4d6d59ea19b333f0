/** How far something is, on a terminal. */
export interface ProgressBar {
  add(bytes: number): void;
  end(): void;
}

const WIDTH = 30;
/** Often enough to be seen, not to be felt. */
const REDRAW_MS = 100;

/** A bar of a known length; where nobody watches there is none. */
export function progressBar(total: number, output: NodeJS.WriteStream = process.stderr, now = Date.now): ProgressBar {
  if (!output.isTTY) return { add: () => {}, end: () => {} };
  const startedAt = now();
  let done = 0;
  let drawnAt = 0;
  const draw = (): void => {
    drawnAt = now();
    output.write(`\r${barLine(done, total, now() - startedAt)}\x1b[K`);
  };
  draw();
  return {
    add(bytes) {
      done += bytes;
      if (now() - drawnAt >= REDRAW_MS) draw();
    },
    end() {
      draw();
      output.write('\n');
    },
  };
}

/** ` 12.0 MiB / 100 MiB [====>    ]  12% 3.1 MiB/s` */
export function barLine(done: number, total: number, ms: number): string {
  const share = total === 0 ? 1 : done / total;
  const filled = Math.floor(share * WIDTH);
  const bar = filled >= WIDTH ? '='.repeat(WIDTH) : `${'='.repeat(filled)}>`.padEnd(WIDTH);
  const rate = ms > 0 ? ` ${bytes((done * 1_000) / ms)}/s` : '';
  return ` ${bytes(done)} / ${bytes(total)} [${bar}] ${String(Math.floor(share * 100)).padStart(3)}%${rate}`;
}

function bytes(count: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = count < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(count) / 10));
  const value = count / 1024 ** power;
  return `${value < 100 && power > 0 ? value.toFixed(1) : Math.round(value)} ${units[power]}`;
}
