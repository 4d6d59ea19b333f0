import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isoImage } from './iso9660.ts';

const directory = mkdtempSync(join(tmpdir(), 'vireo-iso-'));
const path = join(directory, 'test.iso');
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** What isoinfo says of the image. */
const isoinfo = (...args: string[]) => execFileSync('isoinfo', ['-i', path, ...args], { encoding: 'utf8' });

describe('isoImage', () => {
  it('has the label, and the files under their own names', () => {
    const files = {
      'user-data': '#cloud-config\n',
      'meta-data': '{}',
      empty: '',
      'openstack/latest/meta_data.json': '[1]',
    };
    writeFileSync(path, isoImage({ volumeLabel: 'cidata', files }));
    expect(isoinfo('-d')).toContain('Volume id: cidata\n');
    expect(isoinfo('-J', '-f').trim().split('\n').sort()).toEqual([
      '/empty',
      '/meta-data',
      '/openstack',
      '/openstack/latest',
      '/openstack/latest/meta_data.json',
      '/user-data',
    ]);
    expect(isoinfo('-f')).toContain('/OPENSTACK/LATEST/META_DATA.JSON;1\n');
    for (const [name, content] of Object.entries(files)) expect(isoinfo('-J', '-x', `/${name}`)).toBe(content);
  });

  it('holds directories of many sectors and files of any bytes', () => {
    const names = Array.from(
      { length: 200 },
      (_, index) => `directory/a file with a rather long name, number ${index}`,
    );
    const content = (name: string) => Buffer.from(name.repeat(100));
    writeFileSync(
      path,
      isoImage({ volumeLabel: 'MANY', files: Object.fromEntries(names.map((name) => [name, content(name)])) }),
    );
    expect(isoinfo('-J', '-f').trim().split('\n')).toHaveLength(201);
    for (const name of [names[0]!, names[99]!, names[199]!]) {
      expect(isoinfo('-J', '-x', `/${name}`)).toBe(content(name).toString());
    }
    // In capitals these are shortened to the same name, and told apart by a number.
    expect(new Set(isoinfo('-f').trim().split('\n')).size).toBe(201);
  });

  it.each(['', 'a label too long for it', 'no/slash'])('refuses the label %j', (volumeLabel) => {
    expect(() => isoImage({ volumeLabel, files: {} })).toThrow(/volume label/);
  });

  it.each(['a//b', '../x', 'a*', ''])('refuses the file name %j', (name) => {
    expect(() => isoImage({ volumeLabel: 'x', files: { [name]: '' } })).toThrow(/is not a valid file name/);
  });
});
