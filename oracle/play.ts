import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, Case, Step } from './case.ts';
import { mergePatched } from './mergePatch.ts';
import { NoAnswer } from './servers/connection.ts';
import type { PlayedServer } from './servers/server.ts';

/** Longer than a change of a CRD takes to reach the real server's handlers, which learn of it by a watch. */
const CRD_CHANGE_MS = 400;
const PATIENCE_MS = 20_000;

/** What the server has answered so far. */
interface Seen {
  uid: string;
  resourceVersion: string;
  readonly uidsByName: Map<string, string>;
}

/** Sends the steps of a case to a server, in a group of its own, which is removed afterwards. */
export async function play(server: PlayedServer, { steps }: Pick<Case, 'steps'>, group: string): Promise<Answer[]> {
  const seen: Seen = { uid: '', resourceVersion: '', uidsByName: new Map() };
  const answers: Answer[] = [];
  try {
    for (const step of steps) {
      const answer = await send(server, await prepared(server, step, group, seen), group, seen);
      answers.push(answer);
      remember(answer, seen);
      await settled(server, step, answer, group);
    }
    return answers;
  } finally {
    await server.connection.send({ method: 'DELETE', path: `${CRDS}/widgets.${group}` });
  }
}

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** What is sent: an edit becomes the body that it makes of the live object. */
async function prepared(server: PlayedServer, step: Step, group: string, seen: Seen): Promise<Step> {
  if (!step.edit) return step;
  const { method: _, query: __, edit, ...where } = step;
  const live = await send(server, { ...where, method: 'GET' }, group, seen);
  const base = live.code === 200 ? live.body : nothingAt(step.path);
  return { ...step, body: mergePatched(base, edit) };
}

/** What whoever edits an object that is not there has at least. */
function nothingAt(path: string): unknown {
  const [, apiVersion, name] = /^\/apis\/([^/]+\/[^/]+)\/namespaces\/default\/widgets\/(\w+)/.exec(path) ?? [];
  return { apiVersion, kind: 'Widget', metadata: { name } };
}

async function send(server: PlayedServer, step: Step, group: string, seen: Seen): Promise<Answer> {
  const { method, path, query, contentType = 'application/json', userAgent = 'oracle/1.0', body } = step;
  const search = query ? `?${new URLSearchParams(query)}` : '';
  const filled = (text: string): string =>
    text
      .replaceAll('{group}', group)
      .replaceAll('{uid}', seen.uid)
      .replaceAll(/\{uid of (\w+)\}/g, (_, name: string) => seen.uidsByName.get(name) ?? '')
      .replaceAll('{resourceVersion}', seen.resourceVersion);
  const sent = {
    method,
    path: filled(path) + search,
    headers: {
      accept: 'application/json',
      'user-agent': userAgent,
      ...(body !== undefined && { 'content-type': contentType }),
    },
    ...(body !== undefined && { body: filled(typeof body === 'string' ? body : JSON.stringify(body)) }),
  };
  try {
    const { status, headers, body: text } = await server.connection.send(sent);
    return { code: status, warnings: warningsIn([headers.warning ?? []].flat().join()), body: parsed(text) };
  } catch (error) {
    // No answer is an answer too, and the other server may have a better one.
    if (error instanceof NoAnswer) return { code: 0, warnings: [], body: error.message };
    throw error;
  }
}

/** The texts of a `Warning` header, in which several stand side by side. */
const warningsIn = (header: string): string[] =>
  [...header.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) => text.replaceAll(/\\(.)/g, '$1'));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function remember({ body }: Answer, seen: Seen): void {
  const { metadata } = (body ?? {}) as { metadata?: { name?: unknown; uid?: unknown; resourceVersion?: unknown } };
  if (typeof metadata?.uid === 'string') {
    seen.uid = metadata.uid;
    seen.uidsByName.set(String(metadata.name), metadata.uid);
  }
  if (typeof metadata?.resourceVersion === 'string') seen.resourceVersion = metadata.resourceVersion;
}

/** Writes of a CRD take effect a little later; what follows is about the kind as it is then. */
async function settled(server: PlayedServer, step: Step, answer: Answer, group: string): Promise<void> {
  if (!step.path.startsWith(CRDS) || step.method === 'GET' || step.query?.dryRun) return;
  if (answer.code === 200) await delay(CRD_CHANGE_MS);
  if (answer.code !== 201) return;
  const { metadata, spec } = answer.body as {
    metadata: { name: string };
    spec: { versions: { name: string; served: boolean }[]; names: { plural: string } };
  };
  const version = spec.versions.find(({ served }) => served)?.name;
  if (version === undefined) return;
  const path = `/apis/${group}/${version}/${spec.names.plural}`;
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; ) {
    const { status } = await server.connection.send({ method: 'GET', path, headers: { accept: 'application/json' } });
    // The real server serves a kind a moment before it says so.
    if (status === 200 && (await isEstablished(server, metadata.name))) return;
    await delay(10);
  }
  throw new Error(`${server.name}: ${path} is not served\n${server.output()}`);
}

async function isEstablished(server: PlayedServer, name: string): Promise<boolean> {
  const headers = { accept: 'application/json' };
  const { body } = await server.connection.send({ method: 'GET', path: `${CRDS}/${name}`, headers });
  const { status } = parsed(body) as { status?: { conditions?: { type: string; status: string }[] } };
  return status?.conditions?.some((each) => each.type === 'Established' && each.status === 'True') ?? false;
}
