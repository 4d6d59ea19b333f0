import { once } from 'node:events';
import { createServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';

/** What a path answers with: a body, or a status and a body. */
export type Answer = { readonly status?: number; readonly body: unknown };
export type Script = (request: ScriptedRequest) => Answer | undefined;

export interface ScriptedRequest {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

export interface ScriptedServer {
  readonly url: string;
  readonly asked: ScriptedRequest[];
  close(): Promise<void>;
}

/** Stands in for servers that do more than ours does yet: it answers as its script says, and keeps what it was asked. */
export async function startScriptedServer(script: Script): Promise<ScriptedServer> {
  const asked: ScriptedRequest[] = [];
  const server = createServer();
  server.on('stream', async (stream: ServerHttp2Stream, headers) => {
    const text = Buffer.concat(await stream.toArray()).toString();
    const request = {
      method: String(headers[':method']),
      path: String(headers[':path']),
      body: text === '' ? undefined : JSON.parse(text),
    };
    asked.push(request);
    const { status = 200, body } = script(request) ?? notFound(request);
    stream.respond({ ':status': status, 'content-type': 'application/json' });
    stream.end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** As Kubernetes says it. */
export function notFound({ path }: ScriptedRequest): Answer {
  const name = path.split('?')[0]?.split('/').at(-1);
  const body = {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    reason: 'NotFound',
    message: `"${name}" not found`,
    details: { name },
    code: 404,
  };
  return { status: 404, body };
}
