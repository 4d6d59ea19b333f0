import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { paxRecord, type TarMember, tar } from '../testing/tarWriter.ts';
import { readTar, type TarEntry } from './entries.ts';
import { parsePax } from './pax.ts';

/** Cut at odd places, as networks do. */
async function* pieces(bytes: Buffer, sizes: readonly number[] = [bytes.length]): AsyncGenerator<Buffer> {
  for (let at = 0, index = 0; at < bytes.length; index++) {
    const size = sizes[index % sizes.length] || 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

async function list(archive: AsyncIterable<Buffer>): Promise<(TarEntry & { content: Buffer })[]> {
  const found = [];
  for await (const entry of readTar(archive)) {
    const { body, ...rest } = entry;
    const chunks: Buffer[] = [];
    for await (const chunk of body()) chunks.push(chunk);
    found.push({ ...rest, content: Buffer.concat(chunks) });
  }
  return found;
}

describe('tar', () => {
  const member = fc.record({
    name: fc.stringMatching(/^[a-zé/.]{1,300}$/).filter((name) => !name.endsWith('/')),
    content: fc.uint8Array({ maxLength: 2000 }).map((bytes) => Buffer.from(bytes)),
  });

  it('what is packed comes out, however it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(member, { maxLength: 5 }),
        fc.constantFrom('gnu' as const, 'pax' as const),
        fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 5 }),
        async (members, longNames, sizes) => {
          const found = await list(pieces(tar(members, longNames), sizes));
          expect(found.map(({ name, content }) => ({ name, content }))).toEqual(members);
        },
      ),
    );
  });

  it('any bytes are an archive or a clear error', async () => {
    const valid = tar([{ name: 'disk/a', content: 'abc' }]);
    await fc.assert(
      fc.asyncProperty(fc.nat(valid.length - 1), fc.nat(255), fc.nat(valid.length), async (at, byte, length) => {
        const broken = Buffer.from(valid.subarray(0, length));
        if (at < length) broken[at] = byte;
        await list(pieces(broken)).catch((error) => expect(error).toMatchObject({ code: 'BadImage' }));
      }),
    );
  });

  it('bodies that nobody reads are passed over', async () => {
    const names: string[] = [];
    const archive = tar([
      { name: 'a', content: 'x'.repeat(700) },
      { name: 'b', content: 'y'.repeat(512) },
      { name: 'c' },
    ]);
    for await (const { name } of readTar(pieces(archive, [100]))) names.push(name);
    expect(names).toEqual(['a', 'b', 'c']);
  });

  it.each<[string, TarMember, Partial<TarEntry>]>([
    ['a directory', { name: 'd/', flag: '5' }, { type: 'directory' }],
    ['a directory of old', { name: 'd/' }, { type: 'directory' }],
    [
      'a symbolic link',
      { name: 'l', flag: '2', linkName: '/etc/passwd' },
      { type: 'symlink', linkName: '/etc/passwd' },
    ],
    ['a hard link', { name: 'l', flag: '1', linkName: 'a' }, { type: 'hardlink', linkName: 'a' }],
    ['a device', { name: 'n', flag: '4' }, { type: 'device' }],
    ['a link that claims a body', { name: 'l', flag: '2', claimedSize: 10 ** 9 }, { type: 'symlink', sizeBytes: 0 }],
  ])('%s', async (_, given, expected) => {
    expect(await list(pieces(tar([given])))).toMatchObject([expected]);
  });

  it.each<[string, Buffer]>([
    ['a member that is cut off', tar([{ name: 'a', content: 'x'.repeat(2000) }]).subarray(0, 1024)],
    ['a header that is cut off', tar([{ name: 'a' }]).subarray(0, 300)],
    ['a wrong checksum', Buffer.concat([Buffer.from('b'), tar([{ name: 'a' }]).subarray(1)])],
    ['an endless extended header', tar([{ name: 'x', flag: 'x', claimedSize: 2 ** 40 }])],
    ['a malformed extended header', tar([{ name: 'x', flag: 'x', content: '99 path=a\n' }])],
  ])('%s is an error', async (_, archive) => {
    await expect(list(pieces(archive))).rejects.toMatchObject({ code: 'BadImage' });
  });

  it('reads sizes from extended headers and in binary', async () => {
    const archive = tar([
      { name: 'x', flag: 'x', content: paxRecord('size', '3') },
      { name: 'a', content: 'abc', claimedSize: 0 },
    ]);
    expect(await list(pieces(archive))).toMatchObject([{ name: 'a', sizeBytes: 3, content: Buffer.from('abc') }]);
    const entries = readTar(pieces(tar([{ name: 'huge', claimedSize: 10 * 2 ** 30 }])));
    expect((await entries.next()).value).toMatchObject({ sizeBytes: 10 * 2 ** 30 });
  });

  it('records count their own length', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z.]{1,20}$/), fc.string({ maxLength: 200 }), (key, value) => {
        expect(parsePax(Buffer.from(paxRecord(key, value)))).toEqual(new Map([[key, Buffer.from(value).toString()]]));
      }),
    );
  });
});

describe('archives of GNU tar', () => {
  const run = promisify(execFile);
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'vireo-tar-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it.each(['gnu', 'posix', 'ustar', 'v7'])('format %s', async (format) => {
    const long = format === 'v7' ? 'short' : `deep/${'n'.repeat(90)}/${'m'.repeat(format === 'ustar' ? 90 : 140)}`;
    await mkdir(join(directory, long, '..'), { recursive: true });
    await writeFile(join(directory, long), 'content');
    await symlink('target', join(directory, 'link'));
    const names = ['link', long];
    const { stdout } = await run('tar', ['-c', `--format=${format}`, '-C', directory, ...names], {
      encoding: 'buffer',
    });
    expect(await list(pieces(stdout))).toMatchObject([
      { name: 'link', type: 'symlink', linkName: 'target' },
      { name: long, type: 'file', content: Buffer.from('content') },
    ]);
  });

  it.each(['gnu', 'posix'])('sparse files in format %s are told apart', async (format) => {
    await writeFile(join(directory, 'sparse'), 'begin');
    await truncate(join(directory, 'sparse'), 10_000_000);
    const options = ['-c', '--sparse', `--format=${format}`, '-C', directory, 'sparse'];
    const { stdout } = await run('tar', options, { encoding: 'buffer' });
    expect(await list(pieces(stdout))).toMatchObject([{ name: 'sparse', type: 'sparse' }]);
  });
});
