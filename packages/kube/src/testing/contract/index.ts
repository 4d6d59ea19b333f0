/**
 * What every way to every Kubernetes API server has in common, as a test suite. `http.test.ts` runs it over a socket;
 * the embedded API server runs it over its socket and in process. The cases use only what all servers do.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe } from 'vitest';
import { Client } from '../../client.ts';
import { ConfigMap, configMap, Namespace } from '../kinds.ts';
import type { ContractContext, ContractSetup } from './context.ts';
import { listCases } from './lists.ts';
import { objectCases } from './objects.ts';
import { patchCases } from './patches.ts';
import { valueCases } from './values.ts';
import { watchCases } from './watches.ts';

export type { ContractSetup };

/**
 * Declares the suite for one transport.
 *
 * @example
 * transportContract('HTTP/2', async () => {
 *   const server = await startServer();
 *   return { transport: httpTransport({ server: server.url }), cleanup: () => server.close() };
 * });
 */
export function transportContract(name: string, setup: () => Promise<ContractSetup>): void {
  describe(`the transport contract: ${name}`, () => {
    const context = {} as { -readonly [K in keyof ContractContext]: ContractContext[K] };

    beforeAll(async () => {
      context.server = await setup();
      context.client = new Client(context.server.transport);
      context.maps = context.client.of(ConfigMap);
    });
    afterAll(() => context.server?.cleanup());
    beforeEach(async () => {
      const namespace = `contract-${randomUUID().slice(0, 8)}`;
      context.namespace = namespace;
      context.at = { namespace };
      context.make = (name, data = {}, labels = { contract: 'yes' }) => {
        const object = configMap(name, data, namespace);
        return { ...object, metadata: { ...object.metadata, labels } };
      };
      await context.client.of(Namespace).create({ metadata: { name: namespace } });
    });

    objectCases(context);
    patchCases(context);
    listCases(context);
    watchCases(context);
    valueCases(context);
  });
}
