import { expect, it } from 'vitest';
import { cellsOf, type ServedResource } from './cells.ts';

const served = (changes: Partial<ServedResource>): ServedResource => ({
  group: '',
  version: 'v1',
  name: 'pods',
  namespaced: true,
  verbs: ['get', 'list'],
  ...changes,
});
const asked = (changes: Partial<ServedResource>): string[] =>
  cellsOf(served(changes), ['a', 'b']).map(({ sent }) => `${sent.method} ${sent.path.split('?')[0]}`);
const NOTHING = 'security-nothing-of-that-name';

it('asks of each namespace, and of all at once where that can be', () => {
  expect(asked({})).toEqual([
    `GET /api/v1/namespaces/a/pods/${NOTHING}`,
    `GET /api/v1/namespaces/b/pods/${NOTHING}`,
    'GET /api/v1/namespaces/a/pods',
    'GET /api/v1/namespaces/b/pods',
    'GET /api/v1/pods',
  ]);
});

it('knows what is in no namespace, what is one, and what is below something', () => {
  expect(asked({ name: 'nodes', namespaced: false })).toEqual([`GET /api/v1/nodes/${NOTHING}`, 'GET /api/v1/nodes']);
  expect(asked({ name: 'namespaces', namespaced: false })).toEqual([
    'GET /api/v1/namespaces/a',
    'GET /api/v1/namespaces/b',
    'GET /api/v1/namespaces',
  ]);
  expect(asked({ group: 'g', name: 'vms/start', verbs: ['update'] })).toEqual([
    `PUT /apis/g/v1/namespaces/a/vms/${NOTHING}/start`,
    `PUT /apis/g/v1/namespaces/b/vms/${NOTHING}/start`,
  ]);
});

it('only tries out what would change something', () => {
  const [created] = cellsOf(served({ verbs: ['create'] }), ['a']);
  expect(created?.sent).toMatchObject({ method: 'POST', path: '/api/v1/namespaces/a/pods?dryRun=All', body: '{}' });
});
