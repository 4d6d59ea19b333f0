import { badRequest, notFound, pathNotFound } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { objectResponse, type ServiceRequest, type ServiceResponse } from '../http.ts';
import { expandedVm, type LookWorld } from '../instancetypes/expand.ts';
import { typeMismatch } from '../schemaTypes.ts';
import { KUBEVIRT_VERSION, SUBRESOURCE_GROUP } from '../wellKnown.ts';
import { parseBody } from './body.ts';

/** The paths that are about the installation and not about one object. */
export function answerInstallation(name: string): ServiceResponse {
  switch (name) {
    case 'version':
      return objectResponse(VERSION);
    case 'healthz':
      return objectResponse({ status: 'ok' });
    case 'guestfs':
      throw notFound({ group: SUBRESOURCE_GROUP, resource: 'guestfs' }, 'libguestfs-tools image');
    default:
      throw pathNotFound();
  }
}

/** What clients compare with their own version; the other fields are those that they print. */
const VERSION = {
  gitVersion: KUBEVIRT_VERSION,
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '',
  goVersion: `node ${process.version}`,
  compiler: 'node',
  platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
};

/** `expand-vm-spec`: a machine that need not exist, with its instance type and preference written out. */
export async function expandVmSpec(
  namespace: string,
  request: ServiceRequest,
  world: Pick<LookWorld, 'client' | 'config'>,
): Promise<ServiceResponse> {
  const body = parseBody(await request.body());
  const isMachine = isObject(body) && (body.kind === undefined || body.kind === VirtualMachine.kind);
  const mismatch = isMachine ? typeMismatch('', body, VirtualMachine.schema) : '';
  if (!isMachine || !isObject(body.spec) || mismatch !== undefined)
    throw badRequest(['Object is not a valid VirtualMachine', mismatch].filter(Boolean).join(': '));
  // Of the right shape, as the schema says.
  const vm = body as unknown as VirtualMachine;
  const { metadata = {} } = vm;
  if (metadata.namespace && metadata.namespace !== namespace)
    throw badRequest(`VM namespace must be empty or ${namespace}`);
  const placed = { ...vm, metadata: { ...metadata, namespace } };
  return objectResponse(await expandedVm(placed, { ...world, user: request.user }, badRequest));
}
