import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { afterAll, beforeAll, it } from 'vitest';
import { NAMESPACE, startTestCluster, type TestCluster } from './testing/cluster.ts';
import { bootSectorMachine } from './testing/machines.ts';

let cluster: TestCluster;

beforeAll(async () => {
  cluster = await startTestCluster();
});
afterAll(() => cluster?.close());

it('a machine starts', async () => {
  await cluster.admin.of(VirtualMachine).create(bootSectorMachine('one') as never);
  await cluster.vmis.until('one', ({ status }) => status?.phase === 'Running');
});
