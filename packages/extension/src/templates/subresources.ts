import { randomInt } from 'node:crypto';
import { ApiError, invalid, methodNotAllowed, pathNotFound } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { TEMPLATE_SUBRESOURCE_GROUP, TEMPLATE_SUBRESOURCE_VERSIONS } from '@vireo/api/kinds/template/names.ts';
import { type Processed, processTemplate, TemplateError } from '@vireo/api/kinds/template/process.ts';
import { VirtualMachineTemplate } from '@vireo/api/kinds/template/virtualMachineTemplate.ts';
import { type ApiRequest, type ApiResponse, type Client, type Draft, objectResponse, type UserInfo } from '@vireo/kube';
import { parseBody } from '../actions/body.ts';
import type { Authorize } from '../authorize.ts';

const GROUP = TEMPLATE_SUBRESOURCE_GROUP;
const PREFIX = `/apis/${GROUP}`;
const RESOURCE = VirtualMachineTemplate.plural;
const ACTIONS = ['process', 'create'];

export const isTemplateGroup = (path: string): boolean => path === PREFIX || path.startsWith(`${PREFIX}/`);

export interface TemplateContext {
  readonly client: Client;
  readonly authorize: Authorize;
  /** VMs are created with the rights of whoever asks. */
  readonly asUser?: (user: UserInfo) => Client;
}

/** Answers the group of KubeVirt's templates: what there is, and VMs that are made of them. */
export async function handleTemplateRequest(request: ApiRequest, context: TemplateContext): Promise<ApiResponse> {
  const { path, method } = request;
  if (path === PREFIX) return objectResponse(apiGroup());
  const [version = '', ...rest] = path.slice(PREFIX.length + 1).split('/');
  if (!(TEMPLATE_SUBRESOURCE_VERSIONS as readonly string[]).includes(version)) throw pathNotFound();
  if (rest.length === 0) return objectResponse(resourceList(version));
  const [namespaces, namespace = '', resource, name = '', subresource = '', ...more] = rest.map(decodeURIComponent);
  const isAction = namespaces === 'namespaces' && resource === RESOURCE && ACTIONS.includes(subresource);
  if (!isAction || name === '' || more.length > 0) throw pathNotFound();
  if (method !== 'POST') throw methodNotAllowed({ group: GROUP, resource: `${RESOURCE}/${subresource}` }, method);
  await context.authorize(request, { group: GROUP, verb: 'create', namespace, resource: RESOURCE, subresource, name });
  const template = await context.client.of(VirtualMachineTemplate).get(name, { namespace });
  const processed = processFor(template, parametersIn(parseBody(await request.body())));
  const virtualMachine =
    subresource === 'create' ? await createVm(processed, namespace, request, context) : processed.virtualMachine;
  return objectResponse({
    apiVersion: `${GROUP}/${version}`,
    kind: 'ProcessedVirtualMachineTemplate',
    templateRef: { namespace, name },
    virtualMachine,
    message: processed.message,
  });
}

/** ProcessOptions: `{"parameters": {"NAME": "web"}}`, or nothing. */
function parametersIn(body: unknown): Record<string, string> {
  const given = isObject(body) ? (body.parameters ?? {}) : {};
  const isText = isObject(given) && Object.values(given).every((value) => typeof value === 'string');
  if ((body !== undefined && !isObject(body)) || !isText)
    throw new ApiError('Invalid', 'the body is not a valid ProcessOptions: parameters must be an object of texts', {
      causes: [{ reason: 'FieldValueTypeInvalid', message: 'must be an object of texts', field: 'parameters' }],
    });
  return given as Record<string, string>;
}

function processFor({ metadata, spec }: VirtualMachineTemplate, given: Record<string, string>): Processed {
  try {
    return processTemplate(spec, given, randomInt);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const { group, kind } = VirtualMachineTemplate;
    throw invalid(group, kind, metadata.name ?? '', [error.field]);
  }
}

async function createVm(
  { virtualMachine }: Processed,
  namespace: string,
  { user, query }: ApiRequest,
  { asUser }: TemplateContext,
): Promise<VirtualMachine> {
  if (!asUser) throw new ApiError(undefined, 'this server cannot create VMs for its users', undefined, 501);
  const { metadata } = virtualMachine;
  const placed = { namespace, ...(isObject(metadata) ? metadata : {}) };
  const draft = { ...virtualMachine, metadata: placed } as unknown as Draft<VirtualMachine>;
  return asUser(user)
    .of(VirtualMachine)
    .create(draft, { dryRun: query.get('dryRun') === 'All' });
}

const versions = TEMPLATE_SUBRESOURCE_VERSIONS.map((version) => ({ groupVersion: `${GROUP}/${version}`, version }));

const apiGroup = () => ({
  kind: 'APIGroup',
  apiVersion: 'v1',
  name: GROUP,
  versions,
  preferredVersion: versions[0],
});

const resourceList = (version: string) => ({
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: `${GROUP}/${version}`,
  resources: ACTIONS.map((action) => ({
    name: `${RESOURCE}/${action}`,
    singularName: '',
    namespaced: true,
    kind: 'ProcessedVirtualMachineTemplate',
    verbs: ['create'],
  })),
});
