import { describe, expect, it } from 'vitest';
import { readYaml, toYamlDocuments, updateYaml } from '../yaml/text.ts';
import { valueAt } from '../yaml/values.ts';
import { copyOf } from './copy.ts';
import { newMachine } from './defaults.ts';
import {
  parseLabels,
  readCards,
  readDisks,
  readDrives,
  withCard,
  withDisk,
  withNewCard,
  withNewDisk,
  withNewDrive,
  withoutCard,
  withoutDisk,
} from './extras.ts';
import { hintFor } from './hint.ts';
import { isUserDataElsewhere, loginIn, readUserData, userDataFor, userDataProblem, withUserData } from './login.ts';
import { documentsOf, moveVm, objectsFrom, TEMPLATES } from './objects.ts';
import { renameVm } from './rename.ts';
import { readPreference, readSize, withPreference, withSize } from './size.ts';

const start = newMachine({ name: 'web', namespace: 'shop', isVireo: true });
const { vm } = start;

it('a new machine is what vireo launch makes', () => {
  expect(hintFor(start)).toBe('vireo launch vireo/guest web -n shop');
  expect(hintFor({ vm: withSize(vm, { kind: 'own', cores: '2', memory: '1Gi' }) })).toBe(
    'vireo launch vireo/guest web -n shop --memory 1Gi --cpus 2',
  );
  expect(hintFor(withUserData(start, userDataFor({ user: 'a', keys: [], password: 'p' })))).toBe(
    'kubectl apply -f web.yaml',
  );
  expect(hintFor(renameVm(start, 'a; rm -rf'))).toMatch(/^kubectl/);
});

it('fields that the form does not know survive its changes', () => {
  const text = toYamlDocuments([vm]).replace('spec:\n', 'spec:\n  # mine\n  unknown: 1\n');
  const [typed] = readYaml(text).documents ?? [];
  const next = withSize(typed as typeof vm, { kind: 'own', cores: '4', memory: '2Gi' });
  expect(next).toMatchObject({ spec: { unknown: 1 } });
  expect(updateYaml(text, [next])).toContain('# mine\n  unknown: 1');
});

it('a CD-ROM drive comes without a disc, and goes again', () => {
  const drives = withNewDrive(withNewDrive(vm));
  expect(readDrives(drives)).toEqual(['cdrom1', 'cdrom2']);
  expect(readDisks(drives)).toEqual([]);
  expect(hintFor({ vm: drives })).toBe('kubectl apply -f web.yaml');
  expect(withoutDisk(withoutDisk(drives, 'cdrom1'), 'cdrom2')).toEqual(vm);
});

it('another name renames what is called after the VM', () => {
  const secret = withUserData(start, '#cloud-config\npassword: x\n');
  const next = JSON.stringify(moveVm(renameVm(secret, 'shop'), 'other'));
  expect(next).not.toContain('web');
  expect(next).toContain('shop-root');
  expect(next).toContain('shop-cloud-init');
});

it('a machine without a name is renamed completely', () => {
  const unnamed = withUserData(
    newMachine({ name: '', namespace: 'shop', isVireo: true }),
    '#cloud-config\npassword: x\n',
  );
  const next = JSON.stringify(renameVm(unnamed, 'web'));
  expect(next).not.toMatch(/"-/);
  expect(next.match(/web-(root|cloud-init)/g)).toHaveLength(4);
});

it('network data survives changes of the login', () => {
  const login = userDataFor({ user: 'a', keys: [], password: '' });
  const text = JSON.stringify(withUserData(start, login).vm).replace(
    '"userData"',
    '"networkData":"version: 2","userData"',
  );
  const next = withUserData({ vm: JSON.parse(text) }, '');
  expect(JSON.stringify(next)).toContain('"cloudInitNoCloud":{"networkData":"version: 2"}');
});

it('a text must have one VM, and perhaps a Secret', () => {
  expect(objectsFrom(documentsOf(start))).toEqual(start);
  expect(objectsFrom([])).toContain('exactly one');
  expect(objectsFrom([vm, { kind: 'Pod' }])).toContain('nothing else');
  expect(objectsFrom([{ kind: 'Secret' }, vm])).toContain('first');
});

describe('size', () => {
  const type = { kind: 'type', type: { kind: 'VirtualMachineClusterInstancetype', name: 'u1.medium' } } as const;
  it('by a type has no CPU and memory of its own', () => {
    const next = withSize(vm, type);
    expect(readSize(next)).toEqual(type);
    expect(JSON.stringify(next)).not.toContain('"cores"');
    expect(readSize(withSize(next, { kind: 'own', cores: '2', memory: '1Gi' }))).toEqual({
      kind: 'own',
      cores: '2',
      memory: '1Gi',
    });
  });
  it('goes with a preference', () => {
    const preference = { kind: 'VirtualMachinePreference', name: 'linux' };
    expect(readPreference(withPreference(vm, preference))).toEqual(preference);
    expect(withPreference(withPreference(vm, preference), undefined)).toEqual(vm);
  });
});

describe('disks and networks', () => {
  it('are added, changed and removed without a trace', () => {
    const more = withNewDisk(vm, { claim: '', size: '5Gi' });
    expect(readDisks(more)).toEqual([{ name: 'data1', claim: '', size: '5Gi' }]);
    expect(readDisks(withDisk(more, { name: 'data1', claim: 'old', size: '' }))).toEqual([
      { name: 'data1', claim: 'old', size: '' },
    ]);
    expect(withoutDisk(more, 'data1')).toEqual(vm);
    const card = withNewCard(vm, 'lab');
    expect(readCards(card)[1]).toEqual({ name: 'net1', network: 'lab', binding: 'bridge' });
    expect(readCards(withCard(vm, { name: 'default', network: '', binding: 'bridge' }))[0]?.binding).toBe('bridge');
    expect(withoutCard(card, 'net1')).toEqual(vm);
  });
  it('labels are words with =', () => {
    expect(parseLabels('app=web, tier=front')).toEqual({ app: 'web', tier: 'front' });
    expect(parseLabels('app')).toBeUndefined();
  });
});

describe('user data', () => {
  const login = { user: 'ada', keys: ['ssh-ed25519 AAAA ada'], password: '' };
  it('of a login is read back', () => {
    expect(loginIn(userDataFor(login))).toEqual(login);
    expect(loginIn(userDataFor({ ...login, password: "'\n- yes" }))).toEqual({ ...login, password: "'\n- yes" });
    expect(loginIn('#cloud-config\nruncmd: [ls]\n')).toBeUndefined();
  });
  it('is in the VM, but with a password in a Secret', () => {
    const plain = withUserData(start, userDataFor(login));
    expect(plain.secret).toBeUndefined();
    const hidden = withUserData(plain, userDataFor({ ...login, password: 'secret!' }));
    expect(JSON.stringify(hidden.vm)).not.toContain('secret!');
    expect(readUserData(hidden)).toContain('secret!');
    expect(withUserData(hidden, '')).toEqual(start);
    expect(isUserDataElsewhere({ vm: hidden.vm })).toBe(true);
  });
  it('that is broken is told at its line', () => {
    expect(userDataProblem('#cloud-config\na: 1\n\tb: 2\n')).toMatch(/^Line 3: /);
    expect(userDataProblem('hello')).toMatch(/^Line 1: /);
    expect(userDataProblem('#!/bin/sh\n\tls\n')).toBeUndefined();
    expect(userDataProblem('#cloud-config\n- a\n')).toMatch(/mapping/);
  });
});

it('a copy has no identity, and disks of its own', () => {
  const stored = structuredClone(vm) as unknown as {
    metadata: Record<string, unknown>;
    spec: { template: { spec: { domain: Record<string, unknown>; volumes: unknown[] } } };
  };
  stored.metadata.uid = 'u';
  const { spec } = stored.spec.template;
  spec.domain.firmware = { uuid: 'x', serial: 'y' };
  spec.domain.devices = {
    ...(spec.domain.devices as object),
    interfaces: [{ name: 'default', masquerade: {}, macAddress: '02:00:00:00:00:01' }],
  };
  spec.volumes.push({ name: 'data', persistentVolumeClaim: { claimName: 'shared' } });
  const copy = copyOf(stored, 'web2', 'other');
  const text = JSON.stringify(copy);
  for (const word of ['macAddress', 'uuid', '"uid"', 'serial', 'claimName']) expect(text).not.toContain(word);
  expect(valueAt(copy.vm, [...TEMPLATES, 1])).toEqual({
    metadata: { name: 'web2-shared' },
    spec: { source: { pvc: { namespace: 'shop', name: 'shared' } }, storage: {} },
  });
  expect(text).toContain('web2-root');
});
