import { Lease, Node } from '@vireo/api';
import { FakeClock } from '@vireo/kube/testing/fakeClock.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { found, startServerInMemory, type TestServer } from '../../testing/controllers.ts';
import { NODE_USER, startNodeLifecycleController } from './index.ts';
import { GRACE_MS } from './status.ts';

let test: TestServer;
let clock: FakeClock;
const nodes = () => test.admin.of(Node);
const taints = async () =>
  ((await nodes().get('n1')).spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`).join();
const say = (ready: string) =>
  nodes().patchStatus('n1', { status: { conditions: [{ type: 'Ready', status: ready }] } }, { type: 'strategic' });

beforeEach(async () => {
  test = await startServerInMemory();
  clock = new FakeClock();
  await nodes().create({ metadata: { name: 'n1' } });
  test.start(NODE_USER, (context, signal) => startNodeLifecycleController({ ...context, clock }, signal));
});
afterEach(() => test.stop());

describe('the node controller', () => {
  it('opens a new node when it is ready and closes it when it is not', async () => {
    expect(await taints()).toBe('node.kubernetes.io/not-ready:NoSchedule');
    await say('True');
    await found(async () => (await taints()) === '');
    await say('False');
    await found(
      async () => (await taints()) === 'node.kubernetes.io/not-ready:NoSchedule,node.kubernetes.io/not-ready:NoExecute',
    );
  });

  it('gives a silent node up, and takes it back', async () => {
    await say('True');
    const renewTime = '1970-01-01T00:00:00.000000Z';
    await test.admin
      .of(Lease)
      .create({ metadata: { name: 'n1', namespace: 'kube-node-lease' }, spec: { holderIdentity: 'n1', renewTime } });
    await found(async () => clock.pending > 0);
    clock.advance(GRACE_MS);
    await found(async () => (await taints()).includes('node.kubernetes.io/unreachable:NoExecute'));
    const { status } = await nodes().get('n1');
    expect(status?.conditions).toMatchObject([{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }]);
    const now = new Date(clock.now()).toISOString().replace('Z', '000Z');
    await test.admin
      .of(Lease)
      .patch('n1', { spec: { renewTime: now } }, { namespace: 'kube-node-lease', type: 'merge' });
    await say('True');
    await found(async () => (await taints()) === '');
  });
});
