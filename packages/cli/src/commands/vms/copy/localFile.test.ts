import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Failure } from '../../../failure.ts';
import { readParts, writeParts } from './localFile.ts';

let directory: string;
const at = (name: string): string => join(directory, name);
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'vireo-copy-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

async function* partsOf(...parts: (string | Error)[]): AsyncGenerator<Buffer> {
  for (const part of parts) {
    if (part instanceof Error) throw part;
    yield Buffer.from(part);
  }
}

describe('a download', () => {
  it('makes a file, or one in a directory', async () => {
    await writeParts(at('new'), 'remote', partsOf('a', 'b'));
    mkdirSync(at('sub'));
    await writeParts(at('sub'), 'remote', partsOf('c'));
    expect(readFileSync(at('new'), 'utf8')).toBe('ab');
    expect(readFileSync(at('sub/remote'), 'utf8')).toBe('c');
  });

  it('keeps the mode of a file and the link that leads to it', async () => {
    writeFileSync(at('file'), 'old');
    chmodSync(at('file'), 0o751);
    symlinkSync('file', at('link'));
    await writeParts(at('link'), 'remote', partsOf('new'));
    expect(lstatSync(at('link')).isSymbolicLink()).toBe(true);
    expect(readFileSync(at('file'), 'utf8')).toBe('new');
    expect(statSync(at('file')).mode & 0o777).toBe(0o751);
  });

  it('makes the file that a link names', async () => {
    symlinkSync('later', at('link'));
    await writeParts(at('link'), 'remote', partsOf('new'));
    expect(readFileSync(at('later'), 'utf8')).toBe('new');
  });

  it('writes into a device and leaves it one', async () => {
    symlinkSync('/dev/null', at('null'));
    await writeParts(at('null'), 'remote', partsOf('gone'));
    expect(lstatSync(at('null')).isSymbolicLink()).toBe(true);
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
  });

  it('writes into a pipe', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    const reader = spawn('cat', [at('pipe')]);
    const read = reader.stdout.setEncoding('utf8').toArray();
    await writeParts(at('pipe'), 'remote', partsOf('a', 'b'));
    expect((await read).join('')).toBe('ab');
  });

  it('that fails midway leaves the old file and no other', async () => {
    writeFileSync(at('file'), 'old');
    await expect(writeParts(at('file'), 'remote', partsOf('new', new Error('lost')))).rejects.toThrow('lost');
    expect(readdirSync(directory)).toEqual(['file']);
    expect(readFileSync(at('file'), 'utf8')).toBe('old');
  });

  it.each([
    ['to a full disk', () => '/dev/full', /^\/dev\/full cannot be written: no space left on device/],
    ['to a missing directory', () => at('none/file'), /none\/file cannot be written: no such file or directory/],
    [
      'over a directory of the same name',
      () => {
        mkdirSync(at('remote'));
        return directory;
      },
      /remote cannot be written: illegal operation on a directory/,
    ],
  ])('%s fails with the reason', async (_, path, message) => {
    const error = await writeParts(path(), 'remote', partsOf('x')).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Failure);
    expect((error as Failure).message).toMatch(message);
  });
});

describe('an upload', () => {
  const read = async (path: string, largestBytes = 100): Promise<string[]> => {
    const parts: string[] = [];
    for await (const part of readParts(path, { chunkBytes: 4, largestBytes })) parts.push(part.toString());
    return parts;
  };

  it.each([
    ['', ['']],
    ['abc', ['abc']],
    ['abcd', ['abcd']],
    ['abcdef', ['abcd', 'ef']],
  ])('of a file with %j is sent as %j', async (content, parts) => {
    writeFileSync(at('file'), content);
    expect(await read(at('file'))).toEqual(parts);
  });

  it('reads a pipe to its end', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    spawn('sh', ['-c', 'exec >"$1"; printf ab; printf cdefg', 'sh', at('pipe')]);
    expect(await read(at('pipe'))).toEqual(['abcd', 'efg']);
  });

  it('reads a file of /proc, whose size is 0', async () => {
    expect((await read('/proc/self/comm')).join('')).toBe(readFileSync('/proc/self/comm', 'utf8'));
  });

  it('that has no end fails at the limit', async () => {
    await expect(read('/dev/zero', 8)).rejects.toThrow('/dev/zero is larger than');
  });

  it('of a file that cannot be opened fails with the reason', async () => {
    const error = await read(at('none')).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Failure);
    expect((error as Failure).message).toMatch(/none cannot be read: no such file or directory/);
  });
});
