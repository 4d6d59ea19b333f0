import { ApiError, conditionOf, hasEnded, Node, type Persisted, Pod, timestamp } from '@vireo/api';
import { podResources } from '@vireo/api/kinds/core/podResources.ts';
import { BACKUP_TARGET_SETTING, CONFIGURED, effectiveValue, Setting } from '@vireo/api/kinds/harvester/setting.ts';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { KUBEVIRT_NAME, KUBEVIRT_NAMESPACE } from '@vireo/api/kinds/kubevirt/names.ts';
import { addQuantities, formatQuantity, type Quantity, subtractQuantities } from '@vireo/api/quantity.ts';
import { type ApiResponse, type Client, emptyResponse, objectResponse } from '@vireo/kube';
import { targetProblem } from '../../admission/backup.ts';
import { actionRefusal, steveError } from './errors.ts';
import type { Urls } from './urls.ts';

/** What answers about the installation are made of. */
interface Installation {
  /** Of the one who asks. */
  readonly user: Client;
  /** Of the extension. */
  readonly own: Client;
  readonly urls: Urls;
  readonly now: Date;
}

/** Answers about the one cluster that there is: itself, or one of its links. */
export async function clusterResponse(link: string | undefined, { user, urls }: Installation): Promise<ApiResponse> {
  const nodes = (await user.of(Node).list()).items;
  if (link === 'machineTypes') return objectResponse([...new Set(nodes.map(machineTypeOf))]);
  if (link === 'deviceCapacity') return objectResponse(freeDevices(nodes, (await user.of(Pod).list()).items));
  if (link !== undefined) return steveError(404, 'NotFound', `cluster has no link ${link}`);
  const self = urls.below('cluster', 'local');
  const links = Object.fromEntries(LINKS.map((name) => [name, `${self}?link=${name}`]));
  return objectResponse({ id: 'local', type: 'cluster', links: { self, ...links } });
}

const LINKS = ['deviceCapacity', 'machineTypes'];

const machineTypeOf = ({ metadata, status }: Node): string =>
  (metadata.labels?.['kubernetes.io/arch'] ?? status?.nodeInfo?.architecture) === 'arm64' ? 'virt' : 'q35';

/** Devices of hosts are resources with a domain. Those of hypervisors are enough for every VM. */
const isDevice = (resource: string): boolean => resource.includes('/') && !resource.startsWith('devices.kubevirt.io/');

function freeDevices(nodes: readonly Persisted<Node>[], pods: readonly Persisted<Pod>[]): Record<string, string> {
  const free: Record<string, Quantity> = {};
  for (const { status } of nodes)
    for (const [resource, amount] of Object.entries(status?.allocatable ?? {}))
      if (isDevice(resource)) free[resource] = addQuantities(free[resource] ?? 0, amount);
  for (const { spec } of pods.filter((each) => each.spec?.nodeName && !hasEnded(each)))
    for (const [resource, amount] of Object.entries(podResources(spec, 'requests')))
      if (free[resource]) free[resource] = subtractQuantities(free[resource], amount);
  return Object.fromEntries(Object.entries(free).map(([resource, amount]) => [resource, formatQuantity(amount)]));
}

/** What Harvester's page asks about itself. */
export const uiInfo = ({ urls }: Installation): ApiResponse =>
  objectResponse({ 'ui-source': 'bundled', 'ui-index': `${urls.origin}/dashboard/` });

/**
 * `backuptarget/healthz`: whether the target of backups can be used, for those who may see the Setting. A value that
 * makes no sense is the fault of the server to Harvester; all else is one of the request.
 */
export async function backupTargetHealth({ user }: Installation): Promise<ApiResponse> {
  const setting = await user.of(Setting).find(BACKUP_TARGET_SETTING);
  const problem = effectiveValue(setting) === '' ? 'no backup target is set' : targetProblem(setting);
  if (problem === undefined) return emptyResponse(200);
  const isInvalid = conditionOf(setting, CONFIGURED)?.reason === 'Invalid';
  return actionRefusal(new ApiError(isInvalid ? 'InternalError' : 'Invalid', problem));
}

/** Whether VMs can be had; the answer is 200 either way. */
export async function readiness({ own, now }: Installation): Promise<ApiResponse> {
  const kubeVirt = await own.of(KubeVirt).find(KUBEVIRT_NAME, { namespace: KUBEVIRT_NAMESPACE });
  const { status, message = '' } = conditionOf(kubeVirt, 'Available') ?? {};
  const ready = status === 'True';
  return objectResponse({
    ready,
    ...(!ready && { msg: message || 'the KubeVirt object does not say that it is available' }),
    timestamp: timestamp(now),
  });
}
