import { vmsOf } from '@vireo/extension/testing/harvester.ts';
import { type Carrier, install } from '@vireo/extension/testing/installation.ts';
import { bind, testUser } from '@vireo/extension/testing/roles.ts';
import type { ApiCall, ApiCallResult, ApiRequest, Transport } from '@vireo/kube';

const NEW = '/apis/subresources.harvesterhci.io/v1beta1/namespaces/default/virtualmachines/web/stop';
const STEVE = '/v1/harvester/kubevirt.io.virtualmachines/default/web';

/** Calls the action `stop` of a VM that is off, which looks at the VM and changes nothing. */
export interface TestBed extends AsyncDisposable {
  /** The handler itself, by a function call. */
  direct(): Promise<void>;
  /** Through the server in the same process: authorised, and handed on to the extension. */
  aggregated(): Promise<void>;
  steve(): Promise<void>;
  /** The same over HTTPS on a connection that is open. */
  aggregatedOverHttps(): Promise<void>;
  steveOverHttps(): Promise<void>;
  /** The VM itself over HTTPS. */
  readOverHttps(): Promise<void>;
  /** A dry run of a VM's creation over HTTPS, which asks all webhooks about it. */
  createOverHttps(): Promise<void>;
}

/** `remote`: the server reaches the extension over the network, as `vireo up --extension remote` has it. */
export async function createTestBed(carrier: Carrier = 'inProcess'): Promise<TestBed> {
  const installation = await install({ carrier });
  const { server, extension } = installation;
  await vmsOf(installation).createVm('web');
  await bind(server.client, 'jane', 'harvesterhci.io:edit');
  // No administrator: whoever is one is let through without a look at the roles.
  const inProcess = server.inProcess(testUser('jane'));
  const overHttps = await server.overHttp();
  const request: ApiRequest = {
    method: 'POST',
    path: NEW,
    query: new URLSearchParams(),
    headers: {},
    user: testUser('jane'),
    body: async () => undefined,
    signal: new AbortController().signal,
  };
  const stop = { method: 'POST', path: NEW } as const;
  const steveStop = { method: 'POST', path: STEVE, query: { action: 'stop' } } as const;
  const vm = {
    method: 'GET',
    path: '/apis/kubevirt.io/v1/namespaces/default/virtualmachines/web',
  } as const;
  const create = {
    method: 'POST',
    path: '/apis/kubevirt.io/v1/namespaces/default/virtualmachines',
    query: { dryRun: 'All' },
    body: {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: { name: 'new' },
      spec: { runStrategy: 'Halted', template: { spec: { domain: { devices: {}, memory: { guest: '64Mi' } } } } },
    },
  } as const;
  return {
    direct: async () => expectDone(await extension.handle(request), 204),
    aggregated: async () => expectDone(await inProcess.call(stop), 204),
    steve: async () => expectDone(await inProcess.call(steveStop), 204),
    aggregatedOverHttps: () => callAndExpect(overHttps, stop, 204),
    steveOverHttps: () => callAndExpect(overHttps, steveStop, 204),
    readOverHttps: () => callAndExpect(overHttps, vm, 200),
    createOverHttps: () => callAndExpect(overHttps, create, 201),
    [Symbol.asyncDispose]: () => installation.close(),
  };
}

const callAndExpect = async (transport: Transport, call: ApiCall, status: number): Promise<void> =>
  expectDone(await transport.call(call), status);

function expectDone({ status }: Pick<ApiCallResult, 'status'>, expected: number): void {
  if (status !== expected) throw new Error(`a call was answered with ${status} instead of ${expected}`);
}
