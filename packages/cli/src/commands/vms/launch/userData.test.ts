import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { defaultKeys, readKeys } from './sshKeys.ts';
import { readUserData, userDataFor, userDataWith } from './userData.ts';

const guest = { user: 'a: b', sshKeys: ['ssh-ed25519 K'], password: '#: x' };

it('what users give is data in the user data', () => {
  const text = userDataFor(guest);
  expect(text.startsWith('#cloud-config\n')).toBe(true);
  expect(parse(text)).toEqual({
    user: 'a: b',
    ssh_authorized_keys: ['ssh-ed25519 K'],
    password: '#: x',
    chpasswd: { expire: false },
    ssh_pwauth: true,
  });
});

describe('user data from a file', () => {
  it('gets what it leaves out, and keeps what it says', () => {
    const text = userDataWith(
      '#cloud-config\npackages: [nginx]\nhostname: other\nssh_authorized_keys: [mine]\n',
      guest,
      'f',
    );
    expect(parse(text)).toEqual({
      user: 'a: b',
      password: '#: x',
      chpasswd: { expire: false },
      ssh_pwauth: true,
      packages: ['nginx'],
      hostname: 'other',
      ssh_authorized_keys: ['mine', 'ssh-ed25519 K'],
    });
  });

  it('says who logs in where it lists users or has a password', () => {
    expect(parse(userDataWith('#cloud-config\nusers: [default, {name: ada}]', guest, 'f'))).not.toHaveProperty('user');
    const text = userDataWith('#cloud-config\npassword: own', { ...guest, sshKeys: [] }, 'f');
    expect(parse(text)).toEqual({ user: 'a: b', password: 'own' });
  });

  it('stays as it is where it is a script, and has no anchors where it had some', () => {
    expect(userDataWith('#!/bin/sh\necho hi\n', guest, 'f')).toBe('#!/bin/sh\necho hi\n');
    expect(userDataWith('#cloud-config\na: &x {b: 1}\nc: *x\n', guest, 'f')).not.toMatch(/[&*]/);
  });

  it.each([
    'permissions: 0644',
    "enabled: 'yes'",
    'enabled: yes',
    'at: "12:30"',
    'at: 12:30',
    'version: 1.10',
    'size: 0x10',
    'text: |\n  #!/bin/sh\n  echo "a: b"',
    '# why\npackages:\n  - nginx # web',
    'nothing:',
    'nothing: ~',
  ])('keeps %j as it stands', (line) => {
    const text = userDataWith(`#cloud-config\n${line}\n`, guest, 'f');
    expect(text.startsWith(`#cloud-config\n${line}\n`)).toBe(true);
    expect(parse(text)).toMatchObject({ user: 'a: b', password: '#: x' });
  });

  it.each(['yes', '0644', '12:30', 'null', '1e3'])('and the password %j stay text in YAML 1.1', (password) => {
    const texts = [userDataFor({ ...guest, password }), userDataWith('#cloud-config\n', { ...guest, password }, 'f')];
    for (const text of texts) expect(parse(text, { version: '1.1' })).toMatchObject({ password });
  });

  it('stays as it is where it is an archive, and gets everything where it is empty', () => {
    const archive = '#cloud-config-archive\n- type: text/cloud-config\n';
    expect(userDataWith(archive, guest, 'f')).toBe(archive);
    expect(parse(userDataWith('#cloud-config', guest, 'f'))).toEqual(parse(userDataFor(guest)));
  });

  it('whose anchors lead in a circle, or to ever more, is refused', () => {
    const nine = (item: string): string => `[${Array(9).fill(item).join(', ')}]`;
    const lists = [...'bcdefgh'].map((name, index) => `${name}: &${name} ${nine(`*${'abcdefg'[index]}`)}`);
    for (const text of ['a: &x [*x]', [`a: &a ${nine('x')}`, ...lists].join('\n')])
      expect(() => userDataWith(`#cloud-config\n${text}\n`, guest, 'f')).toThrow(/^--cloud-init f is not valid YAML/);
  });

  it.each([
    ['packages: [nginx]', /^--cloud-init f is not cloud-init user data: it starts with neither #cloud-config nor #!$/],
    ['#cloud-config\na: [', /^--cloud-init f is not valid YAML: /],
    ['#cloud-config\n- a', /^--cloud-init f is not a mapping/],
  ])('%j is refused', (text, message) => {
    expect(() => userDataWith(text, guest, 'f')).toThrow(message);
  });

  it('that cannot be read is refused', () => {
    expect(() => readUserData('/nowhere/f')).toThrow(
      /^--cloud-init \/nowhere\/f cannot be read: no such file or directory$/,
    );
  });
});

describe('an ssh key', () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'vireo-keys-'));
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  const file = (content: string): string => {
    const path = join(directory, 'key');
    writeFileSync(path, content);
    return path;
  };

  it('of this user is the first that is one', () => {
    mkdirSync(join(directory, '.ssh'));
    expect(defaultKeys(directory)).toEqual([]);
    writeFileSync(join(directory, '.ssh/id_ed25519.pub'), '');
    writeFileSync(join(directory, '.ssh/id_rsa.pub'), 'ssh-rsa B b\n');
    expect(defaultKeys(directory)).toEqual(['ssh-rsa B b']);
  });

  it('is given as text, or as a file with one or several', () => {
    expect(readKeys('ssh-ed25519 AAAA me')).toEqual(['ssh-ed25519 AAAA me']);
    expect(readKeys(file('# mine\nssh-ed25519 A a\n\nssh-rsa B b\n'))).toEqual(['ssh-ed25519 A a', 'ssh-rsa B b']);
  });

  it.each([
    ['-----BEGIN OPENSSH PRIVATE KEY-----\n', /it is a private key$/],
    ['hello\n', /a public key starts with its type, such as ssh-ed25519/],
    ['', /a public key starts with its type, such as ssh-ed25519/],
  ])('in a file of %j is refused', (content, message) => {
    const path = file(content);
    expect(() => readKeys(path)).toThrow(message);
  });
});
