import { badRequest, pathNotFound } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { KUBEVIRT_NAME, KUBEVIRT_NAMESPACE, KUBEVIRT_VERSION } from '@vireo/api/kinds/kubevirt/names.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { type ApiRequest, type ApiResponse, type Client, objectResponse } from '@vireo/kube';
import { expandForUser, type LookupContext } from '../instancetypes/expand.ts';
import { typeMismatch } from '../schemaTypes.ts';
import { parseBody } from './body.ts';

/** The paths that are about the installation and not about one object. */
export async function getInstallationInfo(name: string, client: Client): Promise<ApiResponse> {
  switch (name) {
    case 'version':
      return objectResponse(VERSION);
    case 'healthz':
      return objectResponse({ status: 'ok' });
    case 'guestfs':
      return objectResponse(guestfsInfo(await installedKubeVirt(client)));
    default:
      throw pathNotFound();
  }
}

/** Where KubeVirt's own images are published. */
const KUBEVIRT_REGISTRY = 'quay.io/kubevirt';

/**
 * The image from which `virtctl guestfs` makes a pod: KubeVirt's own of the version that is served, for Vireo builds
 * none. A digest and a whole image (`gsImage`) would take the place of the tag; there are none.
 */
export const guestfsInfo = ({ imageRegistry, imageTag }: Partial<KubeVirt['spec']> = {}) => ({
  registry: imageRegistry || KUBEVIRT_REGISTRY,
  tag: imageTag || KUBEVIRT_VERSION,
  digest: '',
  imagePrefix: '',
  gsImage: '',
});

async function installedKubeVirt(client: Client): Promise<KubeVirt['spec'] | undefined> {
  return (await client.of(KubeVirt).find(KUBEVIRT_NAME, { namespace: KUBEVIRT_NAMESPACE }))?.spec;
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

/** `expand-vm-spec`: a VM that need not exist, with its instance type and preference written out. */
export async function expandVmSpec(
  namespace: string,
  request: ApiRequest,
  context: Pick<LookupContext, 'client' | 'config'>,
): Promise<ApiResponse> {
  const body = parseBody(await request.body());
  const isVm = isObject(body) && (body.kind === undefined || body.kind === VirtualMachine.kind);
  const mismatch = isVm ? typeMismatch('', body, VirtualMachine.schema) : '';
  if (!isVm || !isObject(body.spec) || mismatch !== undefined)
    throw badRequest(['Object is not a valid VirtualMachine', mismatch].filter(Boolean).join(': '));
  // Of the right shape, as the schema says.
  const vm = body as unknown as VirtualMachine;
  const { metadata = {} } = vm;
  if (metadata.namespace && metadata.namespace !== namespace)
    throw badRequest(`VM namespace must be empty or ${namespace}`);
  const placed = { ...vm, metadata: { ...metadata, namespace } };
  return objectResponse(await expandForUser(placed, { ...context, user: request.user }, badRequest));
}
