import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BadImage } from './badImage.ts';
import { qcow2Header, readQcow2Header } from './qcow2Header.ts';
import { run } from './testing/images.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vireo-qcow2-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const created = async (...options: string[]): Promise<string> => {
  const path = join(directory, 'image.qcow2');
  await run('qemu-img', ['create', '-q', '-f', 'qcow2', ...options, path, '3M']);
  return path;
};

describe('the header of a qcow2 image', () => {
  it.each([
    ['version 3', [], 65536],
    ['version 2', ['-o', 'compat=0.10'], 65536],
    ['large clusters', ['-o', 'cluster_size=2M'], 2 << 20],
  ])('tells the size of the disk: %s', async (_, options, clusterBytes) => {
    expect(await readQcow2Header(await created(...options))).toEqual({ virtualBytes: 3 << 20, clusterBytes });
  });

  const changed: [string, (head: Buffer) => unknown, string][] = [
    ['a version of the future', (head) => head.writeUInt32BE(4, 4), 'qcow2 version 4'],
    ['a backing file', (head) => head.writeBigUInt64BE(600n, 8), 'has a backing file'],
    ['its data elsewhere', (head) => head.writeBigUInt64BE(4n, 72), 'keeps its data in an external file'],
    ['a mark of damage', (head) => head.writeBigUInt64BE(2n, 72), 'marked as corrupt'],
    ['encryption', (head) => head.writeUInt32BE(2, 32), 'is encrypted'],
    ['no disk', (head) => head.writeBigUInt64BE(0n, 24), 'a disk of 0 bytes'],
    [
      'a disk beyond all measure',
      (head) => head.writeBigUInt64BE(2n ** 63n, 24),
      'a disk of 9223372036854775808 bytes',
    ],
  ];
  it.each(changed)('with %s is refused', async (_, change, words) => {
    const head = await readFile(await created());
    change(head);
    expect(() => qcow2Header(head)).toThrow(BadImage);
    expect(() => qcow2Header(head)).toThrow(words);
  });

  it('that ends too soon is refused', () => {
    expect(() => qcow2Header(Buffer.from('QFI\xfb', 'latin1'))).toThrow('ends within its header');
  });
});
