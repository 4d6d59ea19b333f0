import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { UnknownObject } from '@vireo/api';
import { afterAll, describe, expect, it } from 'vitest';
import { adaptTo, haltedVm } from './adapt.ts';
import { openBackup, seal } from './format.ts';
import { checkPath, homeFiles } from './homeFiles.ts';
import { commit, finish, newStage } from './journal.ts';

const directory = mkdtempSync(join(tmpdir(), 'vireo-backup-'));
afterAll(() => rmSync(directory, { recursive: true }));
let made = 0;
const newPath = (): string => join(directory, String(++made));

describe('a backup file', () => {
  const write = (format?: number): string => {
    const file = newPath();
    using db = new DatabaseSync(file);
    db.exec('CREATE TABLE objects (revision INTEGER PRIMARY KEY, key TEXT, createRevision INTEGER, value BLOB)');
    db.prepare('INSERT INTO objects VALUES (5, ?, 5, ?)').run('core/secrets/a/b', Buffer.from('needle in here'));
    const about = { createdAt: 'now', version: '1', home: '/h', host: 'x', revision: 5 };
    seal(db, about, [{ path: 'pki/ca.key', mode: 0o600, bytes: Buffer.from('key') }]);
    if (format !== undefined) db.exec(`UPDATE backup SET about = json_set(about, '$.format', ${format})`);
    return file;
  };

  it('is read as it was written', () => {
    using backup = openBackup(write());
    expect(backup.about).toMatchObject({ format: 1, home: '/h', revision: 5 });
    expect(backup.files()).toMatchObject([{ path: 'pki/ca.key', mode: 0o600 }]);
    expect([...backup.objects()]).toMatchObject([{ key: 'core/secrets/a/b', revision: 5, createRevision: 5 }]);
  });

  it.each<[string, (file: string) => void, RegExp]>([
    [
      'is none',
      (file) => writeFileSync(file, 'kind: List\n'.repeat(500)),
      /is not a backup of Vireo, or it is damaged/,
    ],
    ['is empty', (file) => writeFileSync(file, ''), /is not a backup of Vireo/],
    ['was cut off', (file) => writeFileSync(file, readFileSync(file).subarray(0, 9000)), /damaged/],
    [
      'has one other byte',
      (file) => {
        const bytes = readFileSync(file);
        bytes[bytes.indexOf('needle')] = 'N'.charCodeAt(0);
        writeFileSync(file, bytes);
      },
      /its contents do not match its digest/,
    ],
  ])('that %s is refused', (_, spoil, problem) => {
    const file = write();
    spoil(file);
    expect(() => openBackup(file)).toThrow(problem);
  });

  it('of a format that is not known is refused', () => {
    expect(() => openBackup(write(2))).toThrow('the backup has format 2, but this version of Vireo reads format 1');
  });
});

it.each(['../x', '/etc/passwd', 'pki/../../x', 'store.db', 'volumes/a', '.restore/journal.json', 'a\0b', './x'])(
  'the path %j does not belong in a home',
  (path) => {
    expect(() => checkPath(path)).toThrow('does not belong in a home');
  },
);

it('keys and settings are backed up, data of VMs, logs and the store are not', () => {
  const home = newPath();
  for (const name of ['pki', 'volumes', 'images', 'libvirt', 'node/keys'])
    mkdirSync(join(home, name), { recursive: true });
  for (const name of [
    'pki/ca.key',
    'hypervisors.json',
    'node/keys/a',
    'volumes/disk',
    'vireo.log',
    'store.db-wal',
    'server.json',
  ])
    writeFileSync(join(home, name), name, { mode: 0o600 });
  const files = homeFiles(home, () => {});
  expect(files.map(({ path }) => path).sort()).toEqual(['hypervisors.json', 'node/keys/a', 'pki/ca.key']);
  for (const { path } of files) expect(() => checkPath(path)).not.toThrow();
});

describe('a restore that is cut short', () => {
  /** A home with an old state, and a new one that waits to be put in its place. */
  const prepared = (): string => {
    const home = newPath();
    mkdirSync(join(home, 'pki'), { recursive: true });
    mkdirSync(join(home, 'volumes'));
    for (const name of ['pki/ca.key', 'store.db', 'store.db-wal', 'volumes/disk'])
      writeFileSync(join(home, name), 'old');
    const stage = newStage(home);
    mkdirSync(join(stage, 'pki'));
    for (const name of ['pki/ca.key', 'store.db', 'kubeconfig']) writeFileSync(join(stage, name), 'new');
    return home;
  };
  const commitAll = (home: string) =>
    commit(home, { old: ['pki', 'store.db', 'store.db-wal'], new: ['kubeconfig', 'pki', 'store.db'] }, new Date(0));
  const contents = (home: string): Record<string, string> =>
    Object.fromEntries(
      ['pki/ca.key', 'store.db', 'store.db-wal', 'kubeconfig', 'volumes/disk'].map((name) => [
        name,
        existsSync(join(home, name)) ? readFileSync(join(home, name), 'utf8') : '',
      ]),
    );
  const OLD = { 'pki/ca.key': 'old', 'store.db': 'old', 'store.db-wal': 'old', kubeconfig: '', 'volumes/disk': 'old' };
  const NEW = { 'pki/ca.key': 'new', 'store.db': 'new', 'store.db-wal': '', kubeconfig: 'new', 'volumes/disk': 'old' };

  it('before it was committed leaves the old home', () => {
    const home = prepared();
    expect(finish(home)).toBe('dropped');
    expect(contents(home)).toEqual(OLD);
    expect(readdirSync(home)).not.toContain('.restore');
  });

  it('at any move is finished by the next one', () => {
    const whole = prepared();
    const { old, new: fresh, replaced } = commitAll(whole);
    const moves = [
      ...old.map((name) => [name, join(replaced, name)]),
      ...fresh.map((name) => [join('.restore/new', name), name]),
    ];
    for (let done = 0; done <= moves.length; done++) {
      const home = newPath();
      cpSync(whole, home, { recursive: true });
      mkdirSync(join(home, replaced));
      for (const [from, to] of moves.slice(0, done)) renameSync(join(home, from!), join(home, to!));
      expect(finish(home), `after ${done} moves`).toBe('finished');
      expect(contents(home), `after ${done} moves`).toEqual(NEW);
      expect(readFileSync(join(home, replaced, 'store.db'), 'utf8')).toBe('old');
    }
  });
});

describe('in another home', () => {
  const vm = (spec: object): UnknownObject =>
    ({
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: { name: 'v', generation: 3 },
      spec,
    }) as UnknownObject;

  it.each<[object, object | undefined]>([
    [
      { runStrategy: 'Always', template: {} },
      { runStrategy: 'Halted', template: {} },
    ],
    [{ runStrategy: 'RerunOnFailure' }, { runStrategy: 'Halted' }],
    [{ runStrategy: 'Once' }, { runStrategy: 'Halted' }],
    [{ running: true }, { running: false }],
    [{ runStrategy: 'Manual' }, undefined],
    [{ runStrategy: 'Halted' }, undefined],
    [{ running: false }, undefined],
  ])('a VM with %j becomes one with %j', (spec, expected) => {
    expect(haltedVm(vm(spec))?.spec).toEqual(expected);
    if (expected) expect(haltedVm(vm(spec))?.metadata.generation).toBe(4);
  });

  const changes = { haltedVms: 0, pausedSets: 0, leftOutVmis: 0, movedVolumes: 0 };
  const bytes = (object: object): Uint8Array => Buffer.from(JSON.stringify({ metadata: { name: 'x' }, ...object }));
  const launcher = { metadata: { ownerReferences: [{ kind: 'VirtualMachineInstance' }] } };
  const volume = (path: string) => ({ spec: { local: { path } } });

  it.each<[string, object, boolean, unknown]>([
    ['core/configmaps/a/b', { spec: { runStrategy: 'Always' } }, false, 'same'],
    ['kubevirt.io/virtualmachineinstances/a/b', {}, false, undefined],
    ['kubevirt.io/virtualmachineinstances/a/b', {}, true, undefined],
    ['core/pods/a/b', launcher, false, undefined],
    ['core/pods/a/b', {}, false, 'same'],
    ['core/persistentvolumes/b', volume('/old/volumes/b'), true, volume('/new/volumes/b')],
    ['core/persistentvolumes/b', volume('/older/volumes/b'), false, 'same'],
    ['kubevirt.io/virtualmachines/a/b', { spec: { running: true } }, true, 'same'],
    ['kubevirt.io/virtualmachines/a/b', { spec: { running: true } }, false, { spec: { running: false } }],
    ['kubevirt.io/virtualmachineinstancereplicasets/a/b', { spec: {} }, false, { spec: { paused: true } }],
    ['pool.kubevirt.io/virtualmachinepools/a/b', { spec: {} }, false, { spec: { paused: true } }],
  ])('%s %j', (key, object, startVms, expected) => {
    const adapted = adaptTo({ from: '/old', to: '/new', startVms }, changes)(key, bytes(object));
    if (typeof expected === 'object') expect(adapted).toMatchObject(expected as object);
    else expect(adapted).toBe(expected);
  });
});
