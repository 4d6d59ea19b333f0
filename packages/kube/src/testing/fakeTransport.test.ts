import { transportContract } from './contract/index.ts';
import { FakeKubernetes } from './fakeKubernetes.ts';
import { fakeTransport } from './fakeTransport.ts';

// The fake is worth something only as far as it behaves like the real thing.
transportContract('the fake Kubernetes, in process', async () => {
  const kubernetes = new FakeKubernetes();
  const transport = fakeTransport(kubernetes);
  return { transport, cleanup: () => transport.close(), forgetHistory: async () => kubernetes.store.compact() };
});
