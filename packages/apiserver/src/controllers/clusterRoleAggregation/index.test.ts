import { ClusterRole } from '@vireo/api';
import { afterEach, beforeEach, describe, it } from 'vitest';
import { found, startServerInMemory, type TestServer } from '../../testing/controllers.ts';
import { CLUSTER_ROLE_AGGREGATION_USER, startClusterRoleAggregationController } from './index.ts';

let test: TestServer;
beforeEach(async () => {
  test = await startServerInMemory();
  test.start(CLUSTER_ROLE_AGGREGATION_USER, startClusterRoleAggregationController);
});
afterEach(() => test.stop());

describe('the aggregation of cluster roles', () => {
  it('follows the roles that are selected as they come, change and go', async () => {
    const roles = test.admin.of(ClusterRole);
    const verbs = async () => (await roles.get('sum')).rules?.flatMap((rule) => rule.verbs).join() ?? '';
    await roles.create({
      metadata: { name: 'sum' },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { part: 'sum' } }] },
    });
    const rule = (...list: string[]) => ({ apiGroups: [''], resources: ['pods'], verbs: list });
    await roles.create({ metadata: { name: 'part', labels: { part: 'sum' } }, rules: [rule('get')] });
    await found(async () => (await verbs()) === 'get');
    await roles.patch('part', { rules: [rule('get', 'list')] }, { type: 'merge' });
    await found(async () => (await verbs()) === 'get,list');
    await roles.delete('part');
    await found(async () => (await verbs()) === '');
  });
});
