import { CustomResourceDefinition, isConditionTrue, type Kind, type KubeObject, toCrd } from '@vireo/api';
import { startTestServer } from '@vireo/apiserver/testing/server.ts';
import { type Client, type ControllerContext, Informers } from '@vireo/kube';
import { memoryLog } from '@vireo/kube/testing/memoryLog.ts';
import { observed } from './watching.ts';

/** Runs `test` on a real server that serves the kind, while the controller runs; ends both. */
export async function withController<T extends KubeObject>(
  kind: Kind<T>,
  start: (context: ControllerContext, signal: AbortSignal) => Promise<void>,
  test: (client: Client) => Promise<unknown>,
): Promise<void> {
  const { client, close } = await startTestServer();
  const stop = new AbortController();
  await client.of(CustomResourceDefinition).create(toCrd([kind]));
  const isServed = (crd: CustomResourceDefinition) => isConditionTrue(crd, 'Established');
  await observed(client, CustomResourceDefinition, isServed);
  const informers = new Informers(client);
  const ended = start({ client, informers, recorder: { event: () => {} }, log: memoryLog() }, stop.signal);
  informers.start(stop.signal);
  try {
    await test(client);
  } finally {
    stop.abort();
    await ended;
    await close();
  }
}
