import { transportContract } from '@vireo/kube/testing/contract/index.ts';
import { startTestServer } from './testing/server.ts';

transportContract('the embedded server in process', async () => {
  const server = await startTestServer();
  return {
    transport: server.inProcess(),
    cleanup: () => server.close(),
    forgetHistory: () => server.server.api.core.store.compact(server.server.api.core.store.revision),
  };
});

transportContract('the embedded server over HTTP/2', async () => {
  const server = await startTestServer();
  return {
    transport: await server.overHttp(),
    cleanup: () => server.close(),
    forgetHistory: () => server.server.api.core.store.compact(server.server.api.core.store.revision),
  };
});
