import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError, Secret } from '@vireo/api';
import { EXPORT_PREFIX, TOKEN_HEADER, TOKEN_KEY } from '@vireo/api/kinds/export/names.ts';
import { VirtualMachineExport } from '@vireo/api/kinds/export/virtualMachineExport.ts';
import type { Client } from '@vireo/kube';
import { reasonOf } from '../vms/refusal.ts';
import type { Forwarder } from './forward.ts';
import { type Download, downloadRequestHeaders, downloadResponseHeaders, responseHeaders } from './guard.ts';

interface Parts {
  readonly client: Client;
  readonly forwarder: Forwarder;
}

/**
 * Saves a file of an export. A link of the page leads here, and cannot carry the export's token in a header; so the
 * token is read here, with the user's own permissions, and is in no address.
 */
export async function serveDownload(
  download: Download | undefined,
  request: IncomingMessage,
  response: ServerResponse,
  { client, forwarder }: Parts,
): Promise<void> {
  if (!download) return refuse(response, 404, 'There is no such download.');
  const { namespace, name, rest } = download;
  let token: string;
  try {
    token = await tokenOf(client, download);
  } catch (error) {
    return refuse(response, error instanceof ApiError ? error.code : 502, reasonOf(error));
  }
  const target = `${EXPORT_PREFIX}v1/namespaces/${namespace}/virtualmachineexports/${name}/${rest}`;
  const [, claim = '', file = ''] = rest.split(/\/([^/]+)\//);
  await forwarder.forward(target, request, response, {
    request: { ...downloadRequestHeaders(request.headers), [TOKEN_HEADER]: token },
    // A refusal is read, not saved.
    response: (headers, status) => (status < 300 ? downloadResponseHeaders(headers, file.replace(/^disk/, claim)) : {}),
  });
}

async function tokenOf(client: Client, { namespace, name }: Download): Promise<string> {
  const { status } = await client.of(VirtualMachineExport).get(name, { namespace });
  const secret = await client.of(Secret).get(status?.tokenSecretRef ?? '', { namespace });
  return Buffer.from(secret.data?.[TOKEN_KEY] ?? '', 'base64').toString('utf8');
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { ...responseHeaders({}), 'content-type': 'text/plain; charset=utf-8' });
  response.end(`${message}\n`);
}
