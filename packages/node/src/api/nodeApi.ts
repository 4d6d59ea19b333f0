import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError, badRequest, internalError, notFound, pathNotFound } from '@vireo/api';
import { type NodeApi, refuseUpgrade, TEXT_FORMAT } from '@vireo/kube';
import { LibvirtError } from '@vireo/libvirt';
import type { NodeContext } from '../context.ts';
import type { ResourceReader } from '../metrics/resourceMetrics.ts';
import type { VmiController } from '../vmi/controller.ts';
import { isDomainActive } from '../vmi/decide.ts';
import { ACTIONS, type ActionResponse, type Active } from './actions.ts';
import { exportAnswer, sendExport } from './export.ts';
import { LogFile } from './logFile.ts';
import { Streams } from './streams.ts';
import { takeUpload } from './upload.ts';
import { parseVmiPath } from './vmiPath.ts';

export { nodeLogs } from './nodeLogs.ts';

const RESOURCE_METRICS = '/metrics/resource';
const SUMMARY = '/stats/summary';
const LOGS = /^\/containerLogs\/([^/]+)\/([^/]+)\/([^/]+)$/;
const UPLOAD = /^\/v1\/namespaces\/([^/]+)\/persistentvolumeclaims\/([^/]+)\/upload$/;
const EXPORT = /^\/v1\/namespaces\/([^/]+)\/persistentvolumeclaims\/([^/]+)\/export\/(.+)$/;
/** As much as the API server takes: what a command reads and what a file is to hold come in bodies. */
const LARGEST_BODY_BYTES = 3 << 20;

const VMIS = { group: 'kubevirt.io', resource: 'virtualmachineinstances' };

/** What the extension asks of the VMs of this node, and metrics-server of the node. */
export function nodeApi(
  controller: VmiController,
  context: NodeContext,
  resources: ResourceReader,
  signal: AbortSignal,
): NodeApi {
  const streams = new Streams(context, signal);

  function active(namespace: string, name: string): Active {
    const local = controller.localVmi(`${namespace}/${name}`);
    if (!local?.vmi) throw notFound(VMIS, name);
    const { vmi, domain } = local;
    if (!domain || !isDomainActive(domain.state))
      throw badRequest(`virtual machine instance ${namespace}/${name} is not running on this node`);
    return { ...local, vmi, domain };
  }

  async function runAction(request: IncomingMessage, response: ServerResponse): Promise<ActionResponse> {
    const { pathname, searchParams } = urlOf(request);
    const { namespace, name, verb } = parseVmiPath(pathname);
    const action = Object.hasOwn(ACTIONS, verb) ? ACTIONS[verb] : undefined;
    if (!action || action.method !== request.method) throw pathNotFound();
    const local = active(namespace, name);
    try {
      const closed = closingOf(response);
      return await action.run(local, context, { query: searchParams, body: await bodyOf(request), signal: closed });
    } catch (error) {
      if (error instanceof LibvirtError) throw internalError(`${verb} of ${namespace}/${name}: ${error.message}`);
      throw error;
    } finally {
      if (action.changesDomain) controller.enqueue(`${namespace}/${name}`);
    }
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = urlOf(request);
    if (request.method === 'GET' && pathname === RESOURCE_METRICS) {
      response.writeHead(200, { 'content-type': TEXT_FORMAT }).end(await resources.metrics());
      return;
    }
    if (request.method === 'GET' && pathname === SUMMARY) {
      const summary = JSON.stringify(await resources.summary());
      response.writeHead(200, { 'content-type': 'application/json' }).end(summary);
      return;
    }
    const log = request.method === 'GET' ? LOGS.exec(pathname) : null;
    if (log) {
      const pod = controller.pod(log[1] ?? '', log[2] ?? '');
      if (!pod) throw notFound({ group: '', resource: 'pods' }, log[2] ?? '');
      const closed = closingOf(response);
      const file = new LogFile(controller.logOf(pod), searchParams);
      response.writeHead(200, { 'content-type': 'text/plain' });
      for await (const chunk of file.read(AbortSignal.any([closed, signal]))) response.write(chunk);
      response.end();
      return;
    }
    const upload = request.method === 'POST' ? UPLOAD.exec(pathname) : null;
    if (upload) return takeUpload(request, response, `${upload[1]}/${upload[2]}`, searchParams, context.volumes);
    const exported = ['GET', 'HEAD'].includes(request.method ?? '') ? EXPORT.exec(pathname) : null;
    if (exported)
      return sendExport(request, response, `${exported[1]}/${exported[2]}`, exported[3] ?? '', context.volumes);
    const { contentType, body } = await runAction(request, response);
    response.writeHead(200, { 'content-type': contentType }).end(body);
  }

  return {
    handle(request, response) {
      serve(request, response).catch((error: unknown) => {
        const { status } = refusal(error);
        if (response.headersSent) response.destroy();
        else response.writeHead(status.code, { 'content-type': 'application/json' }).end(JSON.stringify(status));
      });
    },
    upgrade(request, socket, head) {
      socket.on('error', () => socket.destroy());
      const { namespace, name, verb } = parseVmiPath(urlOf(request).pathname);
      const open = async (): Promise<void> => streams.open(active(namespace, name), verb, request, socket, head);
      open().catch((error: unknown) => refuseUpgrade(socket, refusal(error)));
    },
    upload: (upload) => context.volumes.upload(upload),
    exported: (asked) => exportAnswer(asked, context.volumes),
  };
}

/** Aborts when the response is sent, or nobody waits for it any more. */
function closingOf(response: ServerResponse): AbortSignal {
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  return closed.signal;
}

const urlOf = (request: IncomingMessage): URL => new URL(request.url ?? '/', 'http://node');

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > LARGEST_BODY_BYTES) throw badRequest(`the body is larger than ${LARGEST_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  if (bytes === 0) return undefined;
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch (error) {
    throw badRequest(`the body is not valid JSON: ${(error as Error).message}`);
  }
}

const refusal = (error: unknown): ApiError =>
  error instanceof ApiError ? error : internalError(error instanceof Error ? error.message : String(error));
