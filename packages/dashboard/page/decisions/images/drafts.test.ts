import { expect, it } from 'vitest';
import {
  dataVolumeFrom,
  freeName,
  importSource,
  nameFrom,
  nameProblem,
  quantityFrom,
  sizeFor,
  sizeProblem,
} from './drafts.ts';

it.each([
  ['Debian 13 (generic).qcow2', 'debian-13-generic'],
  ['disk.img.gz', 'disk'],
  ['https://example.org/a/Fedora_43.iso?x=1', 'fedora-43'],
  ['___', ''],
])('the name for %s is "%s"', (text, name) => expect(nameFrom(text)).toBe(name));

it('a name that is taken gets a number', () => {
  expect(freeName('disk', (name) => ['disk', 'disk-2'].includes(name))).toBe('disk-3');
});

it.each([
  ['', 'Give it a name.'],
  ['Web', expect.stringContaining('small letters')],
  ['web', 'There is a volume web already.'],
  ['db', undefined],
])('the problem of the name "%s"', (name, problem) =>
  expect(nameProblem(name, (each) => each === 'web')).toEqual(problem),
);

it.each([
  ['10Gi', '10Gi'],
  ['10 gib', '10Gi'],
  ['64 MB', '64M'],
  ['1,5 T', '1.5Ti'],
  ['much', 'much'],
])('%s is the quantity %s', (text, quantity) => expect(quantityFrom(text)).toBe(quantity));

it('a size must hold the disk', () => {
  expect(sizeProblem('1Gi', 3 * 2 ** 30)).toBe('At least 3Gi is needed.');
  expect(sizeProblem('3Gi', 3 * 2 ** 30)).toBeUndefined();
  expect(sizeProblem('x')).toContain('such as');
  expect(sizeFor(372_736)).toBe('1Mi');
});

it.each([
  ['https://example.org/d.img', { http: { url: 'https://example.org/d.img' } }],
  ['quay.io/containerdisks/fedora:43', { registry: { url: 'docker://quay.io/containerdisks/fedora:43' } }],
  ['docker://a/b', { registry: { url: 'docker://a/b' } }],
  ['ftp://example.org/d', undefined],
  ['', undefined],
])('an import from "%s"', (address, source) => expect(importSource(address)).toEqual(source));

const draft = { namespace: 'n', name: 'd', size: '', storageClass: '', isImage: false };

it('a volume without a size takes that of its data', () => {
  expect(dataVolumeFrom(draft, { upload: {} }, 'd.img.gz')).toMatchObject({
    metadata: { annotations: { 'vireo.io/storage.fitted': 'true', 'vireo.dev/source-file': 'd.img.gz' } },
    spec: { storage: { resources: { requests: { storage: '1Mi' } } } },
  });
});

it('a copy without a size is as large as the original', () => {
  const copy = dataVolumeFrom(draft, { pvc: { namespace: 'n', name: 'o' } }) as { spec: object };
  expect(copy.spec).toEqual({ source: { pvc: { namespace: 'n', name: 'o' } }, storage: {} });
});
