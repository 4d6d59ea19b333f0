import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { progressDisplay, transferProgress } from './progressDisplay.ts';
import { logLine, type Progress, terminalLine } from './progressText.ts';

const MIB = 1024 * 1024;

describe('progress in one line', () => {
  it.each<[Progress, elapsedMs: number, columns: number, terminal: string, log: string]>([
    [
      { label: 'Uploading disk.img', doneBytes: MIB / 2, totalBytes: MIB },
      1_000,
      120,
      `Uploading disk.img [${'='.repeat(15)}>${' '.repeat(14)}]  50%  512 KiB / 1.0 MiB  512 KiB/s`,
      'Uploading disk.img: 50%, 512 KiB of 1.0 MiB, 512 KiB/s',
    ],
    [
      { label: 'Uploading disk.img', doneBytes: 150 * MIB, totalBytes: 150 * MIB },
      3_000,
      70,
      `Uploading disk.img [${'='.repeat(12)}] 100%  150 MiB / 150 MiB  50.0 MiB/s`,
      'Uploading disk.img: 100%, 150 MiB of 150 MiB, 50.0 MiB/s',
    ],
    [
      { label: 'Downloading disk.img.gz', doneBytes: 3 * MIB },
      2_000,
      80,
      'Downloading disk.img.gz 3.0 MiB  1.5 MiB/s',
      'Downloading disk.img.gz: 3.0 MiB, 1.5 MiB/s',
    ],
    [
      { label: 'Processing', share: 0.255 },
      2_000,
      80,
      `Processing [${'='.repeat(7)}>${' '.repeat(22)}]  25%`,
      'Processing: 25%',
    ],
    [{ label: 'Waiting' }, 12_000, 80, 'Waiting 12 s', 'Waiting: 12 s so far'],
    [{ label: 'Uploading', doneBytes: 0, totalBytes: 0 }, 0, 80, 'Uploading 0 B', 'Uploading: 0 B'],
    [
      { label: 'Uploading disk.img', doneBytes: 1, totalBytes: 2 },
      1_000,
      30,
      'Uploading disk.img  50%  1 B ',
      'Uploading disk.img: 50%, 1 B of 2 B, 1 B/s',
    ],
    [{ label: 'Processing', share: 7 }, 1, 24, 'Processing 100%', 'Processing: 100%'],
  ])('%j', (progress, elapsedMs, columns, terminal, log) => {
    expect(terminalLine(progress, elapsedMs, columns)).toBe(terminal);
    expect(logLine(progress, elapsedMs)).toBe(log);
  });
});

describe('the display', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubEnv('TERM', 'xterm');
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllEnvs();
  });

  const outputOf = (isTTY: boolean) => {
    const written: string[] = [];
    return { written, output: { isTTY, columns: 80, write: (text: string) => written.push(text) } };
  };

  it('of a log has a line every five seconds, and no escape codes', () => {
    const { written, output } = outputOf(false);
    const transfer = transferProgress('Uploading disk.img', 12 * MIB, output);
    for (let second = 0; second < 12; second++) {
      transfer.add(MIB);
      vi.advanceTimersByTime(1_000);
    }
    transfer.end();
    vi.advanceTimersByTime(60_000);
    expect(written).toEqual([
      'Uploading disk.img: 41%, 5.0 MiB of 12.0 MiB, 1.0 MiB/s\n',
      'Uploading disk.img: 83%, 10.0 MiB of 12.0 MiB, 1.0 MiB/s\n',
    ]);
  });

  it('of a terminal redraws its line, ten times a second at most, and leaves its last state', () => {
    const { written, output } = outputOf(true);
    const transfer = transferProgress('Uploading', 300, output);
    for (let each = 0; each < 300; each++) {
      transfer.add(1);
      vi.advanceTimersByTime(1);
    }
    transfer.end();
    expect(written.length).toBeLessThanOrEqual(6);
    expect(written[0]).toMatch(/^\rUploading \[> +\] {3}0% {2}0 B \/ 300 B\x1b\[K$/);
    expect(written.at(-2)).toContain('100%  300 B / 300 B');
    expect(written.at(-1)).toBe('\n');
  });

  it('of a terminal shows the time that passes, and gives way to a text', () => {
    const { written, output } = outputOf(true);
    const display = progressDisplay(output);
    display.update({ label: 'Unpacking' });
    vi.advanceTimersByTime(2_000);
    display.end('Unpacking … 2.0 s');
    expect(written).toEqual([
      '\rUnpacking 0 ms\x1b[K',
      '\rUnpacking 1.0 s\x1b[K',
      '\rUnpacking 2.0 s\x1b[K',
      '\rUnpacking … 2.0 s\x1b[K\n',
    ]);
  });

  it('of a terminal that knows no escape codes is that of a log', () => {
    vi.stubEnv('TERM', 'dumb');
    const { written, output } = outputOf(true);
    const display = progressDisplay(output);
    display.update({ label: 'Unpacking' });
    vi.advanceTimersByTime(5_000);
    display.clear();
    expect(written).toEqual(['Unpacking: 5.0 s so far\n']);
  });

  it('of a log has a line for each new label where it is asked to', () => {
    const { written, output } = outputOf(false);
    const display = progressDisplay(output, { announcesLabels: true });
    for (const label of ['Source locked', 'Source locked', 'Creating']) {
      display.update({ label });
      vi.advanceTimersByTime(2_000);
    }
    vi.advanceTimersByTime(3_000);
    display.clear();
    expect(written).toEqual(['Source locked …\n', 'Creating …\n', 'Creating: 5.0 s so far\n']);
  });

  it('that never had anything to show writes nothing', () => {
    const { written, output } = outputOf(true);
    const display = progressDisplay(output);
    display.clear();
    progressDisplay(output).end();
    expect(written).toEqual([]);
  });
});
