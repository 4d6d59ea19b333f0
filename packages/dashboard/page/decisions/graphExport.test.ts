import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { GraphNode } from '../data/kinds.ts';
import { manifestFile, warningsIn } from './graphExport.ts';
import { modelOf } from './graphModel.ts';

const node = (kind: string, name: string, more: Partial<GraphNode> = {}): GraphNode => ({
  objectReference: { apiGroup: '', kind, name, namespace: 'shop' },
  status: 'present',
  ...more,
});
const model = modelOf(
  node('VirtualMachine', 'web', {
    children: [
      node('Secret', 'token', { status: 'missing', fieldPath: 'spec.a' }),
      node('Secret', 'hidden', { status: 'forbidden', fieldPath: 'spec.b' }),
      node('Secret', 'keys'),
      node('ConfigMap', 'evil\nkind: Pod', { status: 'missing', optional: true }),
    ],
  }),
);
const about = {
  machine: { namespace: 'shop', name: 'web' },
  server: 'https://a:6443',
  at: '2026-01-02',
  includesSecrets: false,
  warnings: [
    'the list of manifests is incomplete: 1 missing',
    'Secret shop/token is missing (spec.a)',
    'another thing',
  ],
};
const list = { kind: 'List', items: [{ apiVersion: 'v1', kind: 'ConfigMap' }, { kind: 'VirtualMachine' }] };

it('a file of manifests has a document for each object, and says what is not in it', () => {
  const text = manifestFile(list, model, about);
  expect(text).toContain('# Missing: these objects did not exist:\n#   - Secret shop/token (spec.a)\n');
  expect(text).toContain('they may exist:\n#   - Secret shop/hidden (spec.b)\n');
  expect(text).toContain('# Secrets are left out; create these by hand:\n#   - Secret shop/keys\n');
  expect(text).toContain('#   - ConfigMap shop/evil kind: Pod (optional)\n');
  expect(text).toContain('# another thing\n');
  expect(text).not.toContain('# Secret shop/token is missing');
  const documents = parseAllDocuments(text)
    .map((document) => document.toJS() as { kind?: string } | null)
    .filter((document) => document !== null);
  expect(documents).toEqual(list.items);
});

it('secrets that are in the file are not said to be left out', () => {
  expect(manifestFile(list, model, { ...about, includesSecrets: true })).not.toContain('left out; create');
});

it.each([
  [null, []],
  ['299 - "a, \\"b\\"", 299 vireo "c"', ['a, "b"', 'c']],
])('the warnings of %j are %j', (header, texts) => {
  expect(warningsIn(header)).toEqual(texts);
});
