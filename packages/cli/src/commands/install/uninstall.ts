import {
  CustomResourceDefinition,
  isReason,
  Namespace,
  type Persisted,
  PriorityClass,
  StorageClass,
  ValidatingWebhookConfiguration,
} from '@vireo/api';
import { OWN_PROVISIONERS } from '@vireo/api/kinds/core/volumeNames.ts';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { KUBEVIRT_NAME, KUBEVIRT_NAMESPACE } from '@vireo/api/kinds/kubevirt/names.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { VolumeSnapshotClass } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotClass.ts';
import { type Client, ignoreNotFound, keyOf } from '@vireo/kube';
import { formatDuration } from '../../duration.ts';
import { Failure, TIMED_OUT } from '../../failure.ts';
import { connected } from '../vms/connection.ts';
import type { ConnectionOptions } from '../vms/connectionOptions.ts';
import { waitFor } from '../vms/waitFor.ts';
import { deleteData, retainedData } from './deleteData.ts';
import { listIfServed } from './listIfServed.ts';
import { deleteServiceMonitor } from './monitoring.ts';
import { isOurs, SHARED_GROUPS } from './owners.ts';
import { deleteInstalled, UNINSTALLED } from './prune.ts';

/** What `vireo uninstall` is told. */
export interface UninstallOptions extends ConnectionOptions {
  readonly deleteData?: boolean;
  readonly force?: boolean;
  /** In milliseconds. */
  readonly timeout: number;
}

/** Removes Vireo from a Kubernetes, and with `--delete-data` everything that was made with it. */
export async function uninstall(options: UninstallOptions): Promise<void> {
  await connected(options, async ({ client }) => {
    await checkInstalled(client);
    if (options.deleteData) await deleteData(client, options.timeout);
    else if (!options.force) await refuseWhileRunning(client);
    // Nobody answers for the installation where no extension runs; then it goes after the webhooks.
    const isSettled = options.deleteData ? await deleteSettings(client) : true;
    await deleteInstalled(client, UNINSTALLED);
    if (!isSettled) await deleteSettings(client);
    await deleteServiceMonitor(client);
    if (!options.deleteData) {
      console.log('Vireo is uninstalled. VMs, disks and settings are kept: `vireo install` continues with them.');
      return;
    }
    const retained = await retainedData(client);
    await deleteCrds(client, options.timeout);
    await deleteInstalled(client, [PriorityClass, StorageClass, Namespace]);
    await untilGone('Namespace', options.timeout, async () => {
      const namespace = await client.of(Namespace).find(KUBEVIRT_NAMESPACE);
      return namespace && isOurs(namespace) ? [namespace] : [];
    });
    console.log('Vireo is uninstalled, and its VMs and disks are deleted. Stop the roles that still run.');
    if (retained.length > 0) console.log(`Kept, because they are to be retained: ${retained.join(', ')}`);
  });
}

/** Whether the KubeVirt object is deleted: its deletion asks the extension. */
async function deleteSettings(client: Client): Promise<boolean> {
  try {
    await client.of(KubeVirt).delete(KUBEVIRT_NAME, { namespace: KUBEVIRT_NAMESPACE }).catch(ignoreNotFound);
    return true;
  } catch (error) {
    if (isReason(error, 'InternalError')) return false;
    throw error;
  }
}

async function checkInstalled(client: Client): Promise<void> {
  const namespace = await client.of(Namespace).find(KUBEVIRT_NAMESPACE);
  const [webhooks] = (await client.of(ValidatingWebhookConfiguration).list()).items.filter(isOurs);
  if ((namespace && isOurs(namespace)) || webhooks) return;
  throw new Failure('Vireo is not installed on this cluster', 'What others have installed is left alone.');
}

const SHOWN = 5;

async function refuseWhileRunning(client: Client): Promise<void> {
  const running = await listIfServed(client, VirtualMachineInstance);
  if (running.length === 0) return;
  const names = running.slice(0, SHOWN).map(keyOf);
  const more = running.length > SHOWN ? ` and ${running.length - SHOWN} more` : '';
  throw new Failure(
    `VMs are running: ${names.join(', ')}${more}`,
    'Stop them first. --force leaves their guests running without anybody to look after them; --delete-data deletes VMs and disks.',
  );
}

async function deleteCrds(client: Client, timeoutMs: number): Promise<void> {
  for (const { metadata, driver } of await listIfServed(client, VolumeSnapshotClass))
    if (OWN_PROVISIONERS.includes(driver)) await client.of(VolumeSnapshotClass).delete(metadata.name);
  const definitions = client.of(CustomResourceDefinition);
  const ours = (await definitions.list()).items.filter(isOurs);
  const isFree = await Promise.all(ours.map((each) => isUnused(client, each)));
  const names = new Set(removableCrds(ours, isFree).map(({ metadata }) => metadata.name));
  for (const name of names) await definitions.delete(name).catch(ignoreNotFound);
  await untilGone('CustomResourceDefinition', timeoutMs, async () =>
    (await definitions.list()).items.filter(({ metadata }) => names.has(metadata.name)),
  );
}

/** Those whose whole group is free: others cannot work with a part of a group. */
export function removableCrds<T extends Pick<CustomResourceDefinition, 'spec'>>(
  crds: readonly T[],
  isFree: readonly boolean[],
): T[] {
  const used = new Set(crds.filter((_, index) => !isFree[index]).map(({ spec }) => spec.group));
  return crds.filter(({ spec }) => !used.has(spec.group));
}

/** Whether nobody needs the CRD any more: with one that others use, too, their objects would be deleted. */
async function isUnused(client: Client, { spec }: Persisted<CustomResourceDefinition>): Promise<boolean> {
  if (!SHARED_GROUPS.includes(spec.group)) return true;
  const { group, names, scope, versions } = spec;
  const version = versions.find(({ storage }) => storage)?.name ?? '';
  const kind = { group, version, kind: names.kind, plural: names.plural, namespaced: scope === 'Namespaced' };
  return (await client.of(kind).list()).items.length === 0;
}

const POLL_MS = 200;

async function untilGone(
  kind: string,
  timeoutMs: number,
  left: () => Promise<readonly Persisted<CustomResourceDefinition | Namespace>[]>,
): Promise<void> {
  const isGone = async () => ((await left()).length === 0 ? true : undefined);
  if (await waitFor(isGone, { timeoutMs, intervalMs: POLL_MS })) return;
  const names = (await left()).map(keyOf);
  throw new Failure(
    `still there after ${formatDuration(timeoutMs)}: ${kind} ${names.join(', ')}`,
    `To see what it waits for: kubectl get ${kind.toLowerCase()} ${names[0]} -o yaml`,
    { exitCode: TIMED_OUT },
  );
}
