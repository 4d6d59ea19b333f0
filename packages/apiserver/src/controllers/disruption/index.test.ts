import { isReason, Pod, PodDisruptionBudget, ServiceAccount } from '@vireo/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { found, gone, startServerInMemory, type TestServer } from '../../testing/controllers.ts';
import { DISRUPTION_USER, startDisruptionController } from './index.ts';

let test: TestServer;
const inDefault = { namespace: 'default' };
const budgets = () => test.admin.of(PodDisruptionBudget);
const allowed = async () => (await budgets().get('b', inDefault)).status?.disruptionsAllowed;
const evict = (name: string) =>
  test.admin
    .of(Pod)
    .createSubresource(
      name,
      'eviction',
      { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, ...inDefault } },
      inDefault,
    );

async function readyPod(name: string): Promise<void> {
  const pods = test.admin.of(Pod);
  await pods.create({
    metadata: { name, ...inDefault, labels: { app: 'web' } },
    spec: { containers: [{ name: 'c', image: 'i' }], nodeName: 'n1', terminationGracePeriodSeconds: 0 },
  });
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  await pods.patchStatus(name, { status }, { ...inDefault, type: 'merge' });
}

beforeEach(async () => {
  test = await startServerInMemory();
  test.start(DISRUPTION_USER, startDisruptionController);
  await test.admin.of(ServiceAccount).create({ metadata: { name: 'default', ...inDefault } });
});
afterEach(() => test.stop());

describe('disruption budgets', () => {
  it('allow as many evictions as they have room for', async () => {
    for (const name of ['a', 'b', 'c']) await readyPod(name);
    await budgets().create({
      metadata: { name: 'b', ...inDefault },
      spec: { minAvailable: 2, selector: { matchLabels: { app: 'web' } } },
    });
    await found(async () => (await allowed()) === 1);
    const outcomes = await Promise.allSettled([evict('a'), evict('b'), evict('c')]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refusals = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
    expect(refusals.every((error) => isReason(error, 'TooManyRequests'))).toBe(true);
    const [evicted = ''] = ['a', 'b', 'c'].filter((_, index) => outcomes[index]?.status === 'fulfilled');
    await gone(() => test.admin.of(Pod).get(evicted, inDefault));
    await readyPod('d');
    await found(async () => (await allowed()) === 1);
  });
});
