import { readFileSync } from 'node:fs';
import http2 from 'node:http2';
import type { Answer } from '../baseline/bareServer.ts';
import type { Endpoint } from '../load/connection.ts';

/** Asks a server one thing, outside of any measurement. Rejects with its message when it refuses. */
export async function ask(endpoint: Endpoint, method: 'GET' | 'POST', path: string, body?: unknown): Promise<Answer> {
  const session = http2.connect(`https://127.0.0.1:${endpoint.port}`, {
    ca: readFileSync(endpoint.ca),
    cert: readFileSync(endpoint.certificate),
    key: readFileSync(endpoint.key),
    settings: { initialWindowSize: 1 << 24 },
  });
  try {
    const request = session.request({ ':method': method, ':path': path, 'content-type': 'application/json' });
    const headers = new Promise<http2.IncomingHttpHeaders>((resolve, reject) => {
      request.once('response', resolve);
      request.once('error', reject);
      session.once('error', reject);
    });
    request.end(body === undefined ? undefined : JSON.stringify(body));
    // The date is added by whoever sends the answer.
    const { date: _, ...sent } = await headers;
    const answer = { headers: sent, body: Buffer.concat(await request.toArray()) };
    const status = Number(sent[':status']);
    if (status >= 400) throw new Error(`${method} ${path} was refused with ${status}: ${answer.body}`);
    return answer;
  } finally {
    session.close();
  }
}

export async function createNamespace(endpoint: Endpoint, name: string): Promise<void> {
  await ask(endpoint, 'POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
}
