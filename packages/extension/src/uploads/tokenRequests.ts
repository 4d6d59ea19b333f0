import { randomBytes } from 'node:crypto';
import { badRequest, methodNotAllowed, pathNotFound, timestamp } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import { type ApiRequest, type ApiResponse, objectResponse } from '@vireo/kube';
import { parseBody } from '../actions/body.ts';
import type { Authorize } from '../authorize.ts';
import type { UploadTokens } from './token.ts';

export const UPLOAD_GROUP = 'upload.cdi.kubevirt.io';
export const UPLOAD_VERSION = 'v1beta1';
const RESOURCE = 'uploadtokenrequests';
const PREFIX = `/apis/${UPLOAD_GROUP}`;

export const isUploadGroup = (path: string): boolean => path === PREFIX || path.startsWith(`${PREFIX}/`);

/** Answers the group of UploadTokenRequests: what there is, and tokens. */
export async function handleTokenRequest(
  request: ApiRequest,
  tokens: UploadTokens,
  authorize: Authorize,
): Promise<ApiResponse> {
  const { path, method } = request;
  if (path === PREFIX) return objectResponse(apiGroup());
  if (path === `${PREFIX}/${UPLOAD_VERSION}`) return objectResponse(resourceList());
  const [version, namespaces, namespace = '', resource, ...rest] = path.slice(PREFIX.length + 1).split('/');
  if (version !== UPLOAD_VERSION || namespaces !== 'namespaces' || resource !== RESOURCE || rest.length > 0)
    throw pathNotFound();
  if (method !== 'POST') throw methodNotAllowed({ group: UPLOAD_GROUP, resource: RESOURCE }, method);
  await authorize(request, { group: UPLOAD_GROUP, verb: 'create', namespace, resource });
  const asked = parseBody(await request.body());
  const spec = isObject(asked) ? asked.spec : undefined;
  const name = isObject(spec) ? spec.pvcName : undefined;
  if (!isObject(asked) || typeof name !== 'string' || name === '')
    throw badRequest('spec.pvcName is required: the name of the claim to upload to');
  return objectResponse({
    apiVersion: `${UPLOAD_GROUP}/${UPLOAD_VERSION}`,
    kind: 'UploadTokenRequest',
    metadata: { ...namedOf(asked.metadata), namespace, creationTimestamp: timestamp() },
    spec: { pvcName: name },
    status: { token: await tokens.issue({ namespace, name }) },
  });
}

function namedOf(metadata: unknown): Record<string, unknown> {
  const given = isObject(metadata) ? metadata : {};
  if (given.name || typeof given.generateName !== 'string') return given;
  return { ...given, name: `${given.generateName}${randomBytes(3).toString('hex').slice(0, 5)}` };
}

const version = { groupVersion: `${UPLOAD_GROUP}/${UPLOAD_VERSION}`, version: UPLOAD_VERSION };

const apiGroup = () => ({
  kind: 'APIGroup',
  apiVersion: 'v1',
  name: UPLOAD_GROUP,
  versions: [version],
  preferredVersion: version,
});

const resourceList = () => ({
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: version.groupVersion,
  resources: [
    {
      name: RESOURCE,
      singularName: 'uploadtokenrequest',
      namespaced: true,
      kind: 'UploadTokenRequest',
      verbs: ['create'],
    },
  ],
});
