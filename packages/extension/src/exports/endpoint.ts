import { pipeline } from 'node:stream/promises';
import { conditionOf, type KubeObject, PersistentVolume, PersistentVolumeClaim, servingNodeOf } from '@vireo/api';
import { TOKEN_HEADER } from '@vireo/api/kinds/export/names.ts';
import type { VirtualMachineExport } from '@vireo/api/kinds/export/virtualMachineExport.ts';
import type { About, Client, Clock, Exchange, Log } from '@vireo/kube';
import { stringify } from 'yaml';
import { plainTextResponse } from '../plainTextResponse.ts';
import type { NodeConnections } from '../streams/nodeConnections.ts';
import { headerSecret } from './manifests.ts';
import { exportOverHttp, only } from './overHttp.ts';
import { ExportRefusal } from './refusal.ts';
import { parseExportPath, partOf } from './route.ts';
import { openExport } from './token.ts';
import { type ManifestContext, manifestsOfExport } from './vm.ts';

export interface ExportParts extends ManifestContext {
  readonly nodes: NodeConnections;
  readonly clock: Clock;
  readonly log: Log;
}

/** Serves what exports offer to whoever has their password: volumes as their nodes send them, and manifests. */
export function exportEndpoint(parts: ExportParts): (exchange: Exchange) => void {
  return (exchange) => {
    const closed = new AbortController();
    exchange.onClose(() => closed.abort());
    serve(exchange, parts, closed.signal).catch((error: unknown) => {
      // Whoever has gone needs no response.
      if (closed.signal.aborted) return;
      const { status, text } = plainTextResponse(error, 'the download', exportAt(exchange.target), parts.log);
      // Where a response has begun this cuts it off: half a disk must not look like a whole one.
      exchange.send(status, { 'content-type': 'text/plain; charset=utf-8' }, Buffer.from(`${text}\n`));
    });
  };
}

/** The export that a request is about. */
function exportAt(target: string): About {
  const { namespace, name } = parseExportPath(URL.parse(target, 'https://server')?.pathname ?? '') ?? {};
  return name === undefined ? undefined : { kind: 'VirtualMachineExport', namespace, name };
}

async function serve(exchange: Exchange, parts: ExportParts, signal: AbortSignal): Promise<void> {
  const { method, headers } = exchange;
  const { pathname, searchParams } = new URL(exchange.target, 'https://server');
  const path = parseExportPath(pathname);
  if (!path) throw new ExportRefusal(404, `${pathname} does not exist`);
  if (method !== 'GET' && method !== 'HEAD')
    throw new ExportRefusal(405, `${method} is not supported; download exports with GET`);
  const given = headers[TOKEN_HEADER] ?? searchParams.get(TOKEN_HEADER) ?? undefined;
  const { exported, token } = await openExport(parts.client, path, given);
  expectReady(exported, parts.clock.now());
  const part = partOf(exported, path.rest);
  switch (part.part) {
    case 'volume':
      return sendVolume(exchange, path.namespace, part.claim, part.file, parts, signal);
    case 'manifests':
      return sendManifests(exchange, await manifestsOfExport(exported, part.way, parts));
    case 'header-secret':
      return sendManifests(exchange, [headerSecret(exported, token)]);
  }
}

function expectReady({ metadata, status }: VirtualMachineExport, nowMs: number): void {
  const name = `VirtualMachineExport ${metadata.namespace}/${metadata.name}`;
  if (metadata.deletionTimestamp || nowMs >= Date.parse(status?.ttlExpirationTime ?? ''))
    throw new ExportRefusal(410, `${name} has ended`);
  if (status?.phase === 'Ready') return;
  const why = conditionOf({ status }, 'Ready')?.message;
  throw new ExportRefusal(503, `${name} is ${status?.phase ?? 'Pending'}${why ? `: ${why}` : ''}`);
}

/** What a node answers is handed on as it comes. */
async function sendVolume(
  exchange: Exchange,
  namespace: string,
  name: string,
  path: string,
  { client, nodes }: ExportParts,
  signal: AbortSignal,
): Promise<void> {
  const claim = `${namespace}/${name}`;
  const node = await nodeOf(client, namespace, name);
  const dial = nodes(node);
  if (!dial) throw new ExportRefusal(503, `node "${node}", which has claim ${claim}, is unknown to this server`);
  const { method } = exchange;
  const asked = { claim, path, method, headers: only(exchange.headers, ['range', 'if-range']), signal };
  const { status, headers, body } = await (dial.exported ?? exportOverHttp(dial))(asked);
  const target = exchange.open(status, { ...headers });
  if (method === 'HEAD') target.end();
  else await pipeline(body, target);
}

async function nodeOf(client: Client, namespace: string, name: string): Promise<string> {
  const { volumeName } = (await client.of(PersistentVolumeClaim).find(name, { namespace }))?.spec ?? {};
  const volume = volumeName ? await client.of(PersistentVolume).find(volumeName) : undefined;
  const node = volume && servingNodeOf(volume);
  if (node) return node;
  throw new ExportRefusal(503, `claim ${namespace}/${name} has no volume on a node`);
}

/** As YAML, or as JSON for those who ask for it. */
function sendManifests(exchange: Exchange, items: readonly KubeObject[]): void {
  const isJson = /\bjson\b/.test(exchange.headers.accept ?? '');
  const body = isJson
    ? `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items })}\n`
    : items.map((item) => `---\n${stringify(item, { aliasDuplicateObjects: false })}`).join('');
  exchange.send(200, { 'content-type': isJson ? 'application/json' : 'application/yaml' }, Buffer.from(body));
}
