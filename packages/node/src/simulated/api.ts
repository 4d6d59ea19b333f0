import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError, badRequest, internalError, pathNotFound } from '@vireo/api';
import { type Clock, type NodeApi, type NodeLogs, refuseUpgrade, TEXT_FORMAT, textResponse } from '@vireo/kube';
import { parseVmiPath } from '../api/vmiPath.ts';
import { vmiKey } from '../vmi/launcher.ts';
import { StubConsoles } from './console.ts';
import type { SimulatedVmiController } from './controller.ts';
import { consoleText, STAGES } from './stages.ts';
import type { Stub } from './stub.ts';
import { SimulatedUsage } from './usage.ts';

/** What can be done to a stub, by the last word of the path. */
const CHANGES: Readonly<Record<string, (stub: Stub) => Stub>> = {
  pause: (stub) => ({ ...stub, domain: STAGES.startPaused.becomes }),
  unpause: (stub) => ({ ...stub, domain: STAGES.start.becomes }),
  reset: (stub) => stub,
  softreboot: (stub) => stub,
};

/** The API of a simulated node. What needs a guest is refused by the name of the reason. */
export function simulatedApi(controller: SimulatedVmiController, clock: Clock): NodeApi {
  const consoles = new StubConsoles(clock);
  function answer({ method, url = '/' }: IncomingMessage): void {
    const { namespace, name, verb } = parseVmiPath(new URL(url, 'http://node').pathname);
    if (!name) throw pathNotFound();
    const change = Object.hasOwn(CHANGES, verb) && method === 'PUT' ? CHANGES[verb] : undefined;
    if (!change) throw withoutGuest(verb);
    const key = `${namespace}/${name}`;
    if (!controller.stubOf(key)?.domain)
      throw badRequest(`virtual machine instance ${key} is not running on this node`);
    controller.change(key, change);
  }
  return {
    handle(request, response) {
      try {
        answer(request);
        send(response, 200, {});
      } catch (error) {
        const refused = error instanceof ApiError ? error : internalError(String(error));
        send(response, refused.status.code ?? 500, refused.status);
      }
    },
    upgrade(request, socket, head) {
      socket.on('error', () => socket.destroy());
      const { namespace, name, verb } = parseVmiPath(new URL(request.url ?? '/', 'http://node').pathname);
      const find = (): Stub | undefined => controller.stubOf(`${namespace}/${name}`);
      if (verb === 'console' && find()?.domain) return consoles.open(find, request, socket, head);
      refuseUpgrade(socket, withoutGuest(verb || 'a stream'));
    },
  };
}

const withoutGuest = (what: string): ApiError =>
  badRequest(`${what} needs a guest, and VMs on simulated nodes have none`);

const send = (response: ServerResponse, code: number, body: object): void => {
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

/** What the API server asks of a simulated node: what guests would have printed, and what they would use. */
export function simulatedLogs(controller: SimulatedVmiController, nodeName: string, clock: Clock): NodeLogs {
  const usage = new SimulatedUsage();
  const resourceMetrics = async () => usage.read(controller.runningOn(nodeName), clock.now());
  return {
    resourceMetrics,
    show: async (path) => {
      if (path.endsWith('z')) return textResponse('ok');
      return path === '/metrics/resource' ? textResponse(await resourceMetrics(), 200, TEXT_FORMAT) : undefined;
    },
    podLog: async (pod) => ({
      type: 'stream',
      status: 200,
      contentType: 'text/plain',
      start(sink) {
        const stub = controller.stubOf(vmiKey(pod) ?? '');
        const text = stub?.domain ? `${consoleText(stub.startedAtMs, clock.now())}\n` : '';
        sink.write({ bytes: () => Buffer.from(text) });
        sink.end();
        return () => {};
      },
    }),
  };
}
