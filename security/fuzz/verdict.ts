import { fileURLToPath } from 'node:url';
import type { Answer } from '../wire.ts';

const SOURCES = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** What of our insides an answer shows; undefined: nothing. */
export function leak(text: string, home?: string): string | undefined {
  if (/\n\s+at [^\n]*:\d+:\d+/.test(text)) return 'a stack trace';
  if (text.includes('node:internal') || /\.ts:\d+/.test(text)) return 'a place in the sources';
  if (home !== undefined && text.includes(home)) return 'a path in the home of the server';
  if (text.includes(SOURCES)) return 'the path of the installation';
  if (/\b(TypeError|RangeError|ReferenceError|SyntaxError|SQLITE_[A-Z]+)\b/.test(text))
    return 'the name of an inner error';
  return undefined;
}

/** Answers of 5xx that are right: what is not there yet says so, and what is not to be reached now does too. */
const HONEST = [501, 503];

/** What kube-apiserver itself answers with 500 and without a reason (docs/api-server.md, *Server-side apply*): clients know these. */
const ORIGINAL =
  /"message":"(failed to create typed patch object \(|resourceVersion should not be set on objects to be created"),?[^\n]*"code":500\}/;

/** PersistentVolumes say where on their node they are, which those who may read them are to know. */
const TELL_PLACES = /\bpersistentvolumes\b/i;

const isOriginal = (body: string): boolean => !/"reason":/.test(body) && ORIGINAL.test(body);

/** What is wrong with an answer to nonsense at `path`; undefined: nothing. Any refusal will do, but a Status it must be. */
export function verdict({ status, headers, body }: Answer, path: string, ownHome: string): string | undefined {
  const home = TELL_PLACES.test(path) && status < 400 ? undefined : ownHome;
  if (status >= 500 && !HONEST.includes(status) && !isOriginal(body))
    return `was answered with ${status}: ${body.slice(0, 300)}`;
  const shown = leak(body, home) ?? leak(JSON.stringify(headers), home);
  if (shown) return `showed ${shown} (${status}): ${body.slice(0, 300)}`;
  if (headers['x-forged'] !== undefined) return 'let a header be forged';
  return undefined;
}
