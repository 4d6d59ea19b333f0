import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { diskUseBytes, formatBytes } from './diskUse.ts';

it('counts what is on the disk: no holes, no targets of links', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'vireo-disk-use-'));
  try {
    mkdirSync(join(directory, 'below'));
    writeFileSync(join(directory, 'below/full'), Buffer.alloc(1_000_000, 1));
    writeFileSync(join(directory, 'sparse'), '');
    truncateSync(join(directory, 'sparse'), 1_000_000_000);
    symlinkSync('/usr', join(directory, 'link'));
    const used = await diskUseBytes(directory);
    expect(used).toBeGreaterThanOrEqual(1_000_000);
    expect(used).toBeLessThan(2_000_000);
    expect(await diskUseBytes(join(directory, 'none'))).toBe(0);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_500, '1.5 kB'],
  [64_000_000, '64 MB'],
  [1_230_000_000, '1.2 GB'],
  [5e15, '5000 TB'],
])('%d is %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
