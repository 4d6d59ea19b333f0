import { expect, it } from 'vitest';
import { valueAt } from '../yaml/values.ts';
import { fromVersion } from './copy.ts';
import { hasKey, keysIn, toggleKey, withKeys } from './keys.ts';
import { TEMPLATES, VOLUMES } from './objects.ts';
import { renameVm } from './rename.ts';
import { givenParameters, missingParameters, versionsOf } from './templates.ts';

const template = { metadata: { name: 'web', namespace: 'shop' }, spec: { defaultVersionId: 'shop/web-a' } };
const version = (name: string, number: number | undefined, templateId = 'shop/web', description?: string) => ({
  metadata: { name, namespace: 'shop' },
  spec: { templateId, ...(description && { description }) },
  ...(number !== undefined && { status: { version: number } }),
});

it('versions of a template begin with the default one, then come the newest', () => {
  const versions = [
    version('web-a', 1),
    version('web-b', 2, 'shop/web', 'with cache'),
    version('web-c', 3),
    version('other', 4, 'shop/other'),
    version('web-new', undefined),
  ];
  expect(versionsOf(template, versions)).toEqual([
    ['shop/web-a', 'Version 1 (default)'],
    ['shop/web-c', 'Version 3'],
    ['shop/web-b', 'Version 2: with cache'],
    ['shop/web-new', 'web-new'],
  ]);
});

const claim = { metadata: { name: 'kept-disk-0', annotations: { 'harvesterhci.io/imageId': 'shop/image' } }, spec: {} };
const kept = {
  metadata: { name: 'web-a', namespace: 'shop' },
  spec: {
    vm: {
      metadata: { name: 'old', annotations: { 'harvesterhci.io/volumeClaimTemplates': JSON.stringify([claim]) } },
      spec: {
        template: {
          spec: {
            domain: { devices: {} },
            volumes: [
              { name: 'root', persistentVolumeClaim: { claimName: 'kept-disk-0' } },
              { name: 'data', persistentVolumeClaim: { claimName: 'old-data' } },
            ],
          },
        },
      },
    },
  },
};

it('a machine of a version has claims of its own: made from images, or cloned', () => {
  const { vm } = fromVersion(kept, 'new', 'other');
  expect(vm).toMatchObject({ kind: 'VirtualMachine', metadata: { name: 'new', namespace: 'other' } });
  const annotation = valueAt(vm, ['metadata', 'annotations', 'harvesterhci.io/volumeClaimTemplates']);
  expect(JSON.parse(String(annotation))).toEqual([{ ...claim, metadata: { ...claim.metadata, name: 'new-root' } }]);
  expect(valueAt(vm, VOLUMES)).toEqual([
    { name: 'root', persistentVolumeClaim: { claimName: 'new-root' } },
    { name: 'data', dataVolume: { name: 'new-data' } },
  ]);
  expect(valueAt(vm, [...TEMPLATES, 0])).toMatchObject({
    spec: { source: { pvc: { namespace: 'shop', name: 'old-data' } } },
  });
});

it('such a machine is named afterwards as well as before', () => {
  expect(renameVm(fromVersion(kept, '', 'shop'), 'new')).toEqual(fromVersion(kept, 'new', 'shop'));
});

it('a version that keeps nothing is an empty machine', () => {
  expect(fromVersion({ metadata: { namespace: 'shop' }, spec: {} }, 'new', 'shop').vm).toMatchObject({
    metadata: { name: 'new' },
  });
});

it('parameters that are empty are left to the template, unless only the user has them', () => {
  const parameters = [
    { name: 'NAME', displayName: 'Name of the VM', required: true },
    { name: 'SIZE', required: true, value: '1Gi' },
    { name: 'PASSWORD', required: true, generate: 'expression' },
    { name: 'ZONE' },
  ];
  expect(missingParameters(parameters, { NAME: '' })).toEqual(['Name of the VM']);
  expect(missingParameters(parameters, { NAME: 'web' })).toEqual([]);
  expect(givenParameters({ NAME: 'web', SIZE: '' })).toEqual({ NAME: 'web' });
});

const KEY = 'ssh-ed25519 AAAA';

it.each([
  ['', []],
  ['#cloud-config\n', []],
  ['#cloud-config\npackages: [git]\n', []],
  [`#cloud-config\nssh_authorized_keys: ["${KEY} me"]\n`, [`${KEY} me`]],
  ['#!/bin/sh\n', undefined],
  ['#cloud-config\nssh_authorized_keys: 3\n', undefined],
  ['#cloud-config\n: [\n', undefined],
])('the keys in %j are %j', (userData, keys) => {
  expect(keysIn(userData)).toEqual(keys);
});

it('keys are added to user data and taken out of it, and the rest stays', () => {
  const text = '#cloud-config\n# mine\npackages:\n  - git # needed\n';
  const added = withKeys(text, [KEY]);
  expect(added).toMatch(/^#cloud-config\n/);
  expect(added).toContain('# mine');
  expect(added).toContain('git # needed');
  expect(keysIn(added)).toEqual([KEY]);
  expect(keysIn(withKeys(added, []))).toEqual([]);
  expect(withKeys('', [KEY])).toBe(`#cloud-config\nssh_authorized_keys:\n  - ${KEY}\n`);
  expect(withKeys(withKeys('', [KEY]), [])).toBe('#cloud-config\n');
});

it('a key is the same whatever its comment', () => {
  expect(hasKey([`${KEY} me@home`], `${KEY}\n`)).toBe(true);
  expect(toggleKey([`${KEY} me@home`, 'ssh-rsa B'], `${KEY} other`)).toEqual(['ssh-rsa B']);
  expect(toggleKey(['ssh-rsa B'], `${KEY} me\n`)).toEqual(['ssh-rsa B', `${KEY} me`]);
});
