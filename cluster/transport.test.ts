import { httpTransport } from '@vireo/kube';
import { transportContract } from '@vireo/kube/testing/contract/index.ts';
import { startControlPlane } from './controlPlane.ts';

transportContract('a real kube-apiserver', async () => {
  const plane = await startControlPlane();
  const transport = httpTransport(plane.admin);
  return {
    transport,
    cleanup: async () => {
      await transport.close();
      await plane[Symbol.asyncDispose]();
    },
  };
});
