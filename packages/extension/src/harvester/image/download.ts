import http, { type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import {
  ApiError,
  type Persisted,
  PersistentVolume,
  PersistentVolumeClaim,
  servingNodeOf,
  unavailable,
} from '@vireo/api';
import { isImported, type VirtualMachineImage } from '@vireo/api/kinds/harvester/virtualMachineImage.ts';
import { type ApiResponse, downloadResponse } from '@vireo/kube';
import type { ActContext, Action } from '../../actions/action.ts';
import { BINARY } from '../../actions/responses.ts';
import { harvesterAction } from '../action.ts';
import { imageConflict } from './states.ts';

export const READ_VOLUMES: NonNullable<Action['needs']> = [
  { apiGroups: [''], resources: ['persistentvolumeclaims', 'persistentvolumes'], verbs: ['get'] },
];

export const download = harvesterAction('virtualmachineimages')({
  name: 'download',
  method: 'GET',
  minimumRole: 'edit',
  summary: 'Downloads the image as a raw disk compressed with gzip.',
  response: { status: 200, schema: BINARY, contentType: 'application/gzip' },
  isLink: true,
  needs: READ_VOLUMES,
  isListed: () => true,
  async act({ object }, _input, context) {
    if (!isImported(object)) throw imageConflict(object, 'it is not imported yet');
    return context.dryRun ? undefined : send(object, context);
  },
});

export const downloadCancel = harvesterAction('virtualmachineimages')({
  name: 'downloadcancel',
  method: 'GET',
  minimumRole: 'edit',
  summary: 'Does nothing, because Vireo does not prepare downloads in advance.',
  isLink: true,
  isListed: () => true,
  decide: () => ({ type: 'write', writes: [] }),
});

/** What the node that has the image sends is handed on as it comes. */
async function send(
  { metadata: { name, namespace }, spec: { displayName } }: Persisted<VirtualMachineImage>,
  { client, nodes, request: { signal } }: ActContext,
): Promise<ApiResponse> {
  const claim = await client.of(PersistentVolumeClaim).get(name, { namespace });
  const node = servingNodeOf(await client.of(PersistentVolume).get(claim.spec?.volumeName ?? '')) ?? '';
  const dial = nodes(node);
  if (!dial) throw unavailable(`node "${node}", which has image ${namespace}/${name}, is unknown to this server`);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  http
    .request({
      createConnection: dial,
      host: 'node',
      path: `/v1/namespaces/${namespace}/persistentvolumeclaims/${name}/export/disk.img.gz`,
      signal,
    })
    .once('response', resolve)
    .once('error', reject)
    .end();
  const response = await promise;
  const { statusCode = 500 } = response;
  if (statusCode !== 200) throw ApiError.from(statusCode, jsonOrText(await text(response)));
  return downloadResponse(response, { filename: `${displayName}.gz`, contentType: 'application/gzip' });
}

function jsonOrText(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
