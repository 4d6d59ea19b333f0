import { badRequest, notFound, pathNotFound } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import { objectResponse, type ServiceRequest, type ServiceResponse } from '../http.ts';
import { KUBEVIRT_VERSION, SUBRESOURCE_GROUP } from '../wellKnown.ts';
import { parseBody } from './body.ts';
import { notImplemented } from './refusals.ts';

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
export async function expandVmSpec(namespace: string, request: ServiceRequest): Promise<ServiceResponse> {
  const vm = parseBody(await request.body());
  if (!isObject(vm) || !isObject(vm.spec) || (vm.kind !== undefined && vm.kind !== 'VirtualMachine'))
    throw badRequest('Object is not a valid VirtualMachine');
  const metadata = isObject(vm.metadata) ? vm.metadata : {};
  if (metadata.namespace && metadata.namespace !== namespace)
    throw badRequest(`VM namespace must be empty or ${namespace}`);
  if (vm.spec.instancetype || vm.spec.preference)
    throw notImplemented('virtualmachines', String(metadata.name ?? ''), 'expand-vm-spec with an instance type');
  return objectResponse(vm);
}
