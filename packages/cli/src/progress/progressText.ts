import { formatDuration } from '../duration.ts';

/** How far something is that somebody waits for. */
export interface Progress {
  /** What is going on: `Uploading disk.img`. */
  readonly label: string;
  readonly doneBytes?: number | undefined;
  /** Missing where nobody knows how much there is. */
  readonly totalBytes?: number | undefined;
  /** From 0 to 1, of what is not counted in bytes. */
  readonly share?: number | undefined;
}

const BAR_WIDTH = 30;
const MIN_BAR_WIDTH = 10;

/** One line for a terminal: `Uploading disk.img [====>     ]  42%  42 MiB / 100 MiB  3.1 MiB/s`. */
export function terminalLine(progress: Progress, elapsedMs: number, columns = 80): string {
  const share = shareOf(progress);
  const parts = [
    ...(share === undefined ? [] : [percent(share).padStart(4)]),
    ...amounts(progress, ' / '),
    ...rate(progress, elapsedMs),
    ...(hasAmounts(progress) ? [] : [formatDuration(elapsedMs)]),
  ].join('  ');
  const text = `${progress.label} ${parts}`;
  const room = columns - text.length - '[] '.length - 1;
  if (share === undefined || room < MIN_BAR_WIDTH) return text.slice(0, Math.max(columns - 1, 0));
  return `${progress.label} [${bar(share, Math.min(room, BAR_WIDTH))}] ${parts}`;
}

/** The same for a log: `Uploading disk.img: 42%, 42 MiB of 100 MiB, 3.1 MiB/s`. */
export function logLine(progress: Progress, elapsedMs: number): string {
  const share = shareOf(progress);
  const parts = [
    ...(share === undefined ? [] : [percent(share)]),
    ...amounts(progress, ' of '),
    ...rate(progress, elapsedMs),
    ...(hasAmounts(progress) ? [] : [`${formatDuration(elapsedMs)} so far`]),
  ];
  return `${progress.label}: ${parts.join(', ')}`;
}

function shareOf({ share, doneBytes, totalBytes }: Progress): number | undefined {
  const found = share ?? (doneBytes !== undefined && totalBytes ? doneBytes / totalBytes : undefined);
  return found === undefined ? undefined : Math.min(Math.max(found, 0), 1);
}

const hasAmounts = ({ doneBytes, share }: Progress): boolean => doneBytes !== undefined || share !== undefined;

const percent = (share: number): string => `${Math.floor(share * 100)}%`;

function amounts({ doneBytes, totalBytes }: Progress, of: string): string[] {
  if (doneBytes === undefined) return [];
  return [totalBytes ? `${bytes(doneBytes)}${of}${bytes(totalBytes)}` : bytes(doneBytes)];
}

const rate = ({ doneBytes }: Progress, elapsedMs: number): string[] =>
  doneBytes === undefined || elapsedMs <= 0 ? [] : [`${bytes((doneBytes * 1_000) / elapsedMs)}/s`];

function bar(share: number, width: number): string {
  const filled = Math.floor(share * width);
  return filled >= width ? '='.repeat(width) : `${'='.repeat(filled)}>`.padEnd(width);
}

function bytes(count: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = count < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(count) / 10));
  const value = count / 1024 ** power;
  return `${value < 100 && power > 0 ? value.toFixed(1) : Math.round(value)} ${units[power]}`;
}
