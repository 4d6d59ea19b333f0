import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createQcow2, emptyQcow2, virtualBytes } from './qcow2.ts';

const run = promisify(execFile);
const MiB = 2 ** 20;
const TiB = 2 ** 40;

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vireo-qcow2-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const path = (name: string): string => join(directory, name);
const info = async (file: string) => JSON.parse((await run('qemu-img', ['info', '--output=json', file])).stdout);

/** Rejects when QEMU finds anything wrong: lost clusters, wrong counts. */
const check = (file: string) => run('qemu-img', ['check', '-q', file]);

describe('an empty image', () => {
  it.each([0, 1, 512, MiB, 513 * MiB, 10 * TiB, 2048 * TiB])(
    'of %i bytes is sound to QEMU, and as large',
    async (size) => {
      const file = path('empty.qcow2');
      await createQcow2(file, emptyQcow2(size));
      await check(file);
      expect(await info(file)).toMatchObject({
        format: 'qcow2',
        'virtual-size': Math.ceil(size / 512) * 512,
        'cluster-size': 65536,
        'format-specific': { data: { compat: '1.1', 'refcount-bits': 16, corrupt: false } },
      });
      expect(await virtualBytes({ path: file, format: 'qcow2' })).toBe(Math.ceil(size / 512) * 512);
      expect(await readdir(directory)).toEqual(['empty.qcow2']);
    },
  );

  it('is no larger than QEMU can open', () => {
    expect(() => emptyQcow2(2048 * TiB + 1)).toThrow('too large');
  });

  it.each(['raw', 'qcow2'] as const)('reads as its %s backing file, and keeps what is written', async (format) => {
    const base = { path: path("it's a base, äöü"), format };
    const content = Buffer.alloc(3 * 512, 'base');
    await writeFile(path('content'), content);
    await run('qemu-img', ['convert', '-f', 'raw', '-O', format, path('content'), base.path]);
    const overlay = path('overlay.qcow2');
    await createQcow2(overlay, emptyQcow2(await virtualBytes(base), base));
    await check(overlay);
    expect(await info(overlay)).toMatchObject({
      'virtual-size': content.length,
      'full-backing-filename': base.path,
      'backing-filename-format': format,
    });
    await run('qemu-img', ['compare', '-f', 'raw', '-F', 'qcow2', path('content'), overlay]);
    await run('qemu-io', ['-f', 'qcow2', '-c', 'write -P 7 512 512', overlay]);
    await check(overlay);
    await run('qemu-io', ['-f', 'qcow2', '-c', 'read -P 7 512 512', overlay]);
    await run('qemu-img', ['compare', '-f', 'raw', '-F', format, path('content'), base.path]);
  });

  it('cannot name a backing file beyond what the format has room for', () => {
    expect(() => emptyQcow2(MiB, { path: `/${'x'.repeat(1023)}`, format: 'raw' })).toThrow('too long');
  });
});

it('what is not a qcow2 image has no size', async () => {
  await writeFile(path('text'), 'far too short, and no image');
  await expect(virtualBytes({ path: path('text'), format: 'qcow2' })).rejects.toThrow('is not a qcow2 image');
});
