import { Namespace } from '@vireo/api';
import { DataSource } from '@vireo/api/kinds/cdi/dataSource.ts';
import { Client } from '@vireo/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Installation, install } from '../testing/installation.ts';
import { bind, bindEverywhere, testUser } from '../testing/roles.ts';

const at = { namespace: 'default' };
const source = (kind: 'pvc' | 'snapshot', namespace: string) => ({ source: { [kind]: { name: 'disk', namespace } } });

let installation: Installation;
const asUser = (name: string) => new Client(installation.server.inProcess(testUser(name))).of(DataSource);

beforeAll(async () => {
  installation = await install();
  const { client } = installation.server;
  await client.of(Namespace).create({ metadata: { name: 'others' } });
  await bind(client, 'jane', 'edit');
  await bindEverywhere(client, 'root', 'edit');
});
afterAll(() => installation?.close());

/** Disks that are made of a DataSource are asked about when they are asked for: it must not lead elsewhere later. */
describe('a DataSource', () => {
  it.each(['pvc', 'snapshot'] as const)('stands for no %s that its writer may not copy', async (kind) => {
    const sources = asUser('jane');
    const name = `of-${kind}`;
    await sources.create({ metadata: { name, ...at }, spec: source(kind, 'default') });
    const refusal = {
      code: 422,
      message: expect.stringContaining('User jane has insufficient permissions in clone source namespace others'),
      status: { details: { causes: [{ field: 'spec.source' }] } },
    };
    const moved = { spec: { source: { [kind]: { name: 'disk', namespace: 'others' } } } };
    await expect(sources.patch(name, moved, { ...at, type: 'merge' })).rejects.toMatchObject(refusal);
    const fresh = { metadata: { name: `new-${kind}`, ...at }, spec: source(kind, 'others') };
    await expect(sources.create(fresh)).rejects.toMatchObject(refusal);
  });

  it('may be led elsewhere by who has the right, and be labelled by who has not', async () => {
    await asUser('root').create({ metadata: { name: 'shared', ...at }, spec: source('pvc', 'others') });
    const labels = { 'example.org/seen': 'yes' };
    const { metadata } = await asUser('jane').patch('shared', { metadata: { labels } }, { ...at, type: 'merge' });
    expect(metadata.labels).toEqual(labels);
  });
});
