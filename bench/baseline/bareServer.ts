import { readFileSync } from 'node:fs';
import http2, { type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { Endpoint } from '../load/connection.ts';
import { serveTasks } from '../processes.ts';

/** What is sent for a target (path and query). */
export interface Answer {
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
}

export interface Answers {
  /** By target. */
  readonly get: Readonly<Record<string, Answer>>;
  /** To every POST, after `event` has gone to every open watch. */
  readonly post?: Answer;
  readonly event?: Buffer;
}

let answers: Answers = { get: {} };
const watches = new Set<ServerHttp2Stream>();

/** `node:http2` and nothing else, with the API server's own TLS settings: what sending these bytes costs anyone. */
const tasks = {
  listen: async ({ certificate, key, ca }: Omit<Endpoint, 'port'>): Promise<number> => {
    const server = http2.createSecureServer({
      allowHTTP1: true,
      cert: readFileSync(certificate),
      key: readFileSync(key),
      ca: [readFileSync(ca)],
      requestCert: true,
      rejectUnauthorized: false,
      minVersion: 'TLSv1.2',
      maxSessionMemory: 200,
      settings: { maxConcurrentStreams: 1000, initialWindowSize: 1 << 20 },
    });
    server.on('stream', (stream, headers) => {
      stream.on('error', () => stream.destroy());
      const target = headers[':path'] ?? '';
      if (headers[':method'] === 'POST') acceptPost(stream);
      else if (target.includes('watch=true')) openWatch(stream);
      else send(stream, answers.get[target]);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  },
  answer: (given: Answers): void => {
    answers = given;
  },
};

function send(stream: ServerHttp2Stream, answer: Answer | undefined): void {
  if (!answer) {
    stream.respond({ ':status': 404 }, { endStream: true });
    return;
  }
  stream.respond(answer.headers);
  stream.end(answer.body);
}

function acceptPost(stream: ServerHttp2Stream): void {
  stream.resume();
  stream.once('end', () => {
    if (answers.event) for (const watch of watches) watch.write(answers.event);
    send(stream, answers.post);
  });
}

function openWatch(stream: ServerHttp2Stream): void {
  stream.respond({ ':status': 200, 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
  watches.add(stream);
  stream.once('close', () => watches.delete(stream));
}

export type BareTasks = typeof tasks;

serveTasks(tasks);
