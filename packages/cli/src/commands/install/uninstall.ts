import {
  CustomResourceDefinition,
  isReason,
  type Kind,
  type KubeObject,
  Namespace,
  type Persisted,
  PersistentVolumeClaim,
  PriorityClass,
  StorageClass,
  ValidatingWebhookConfiguration,
} from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { LOCAL_PROVISIONER, SHARED_PROVISIONER } from '@vireo/api/kinds/core/volumeNames.ts';
import { kubevirtKinds } from '@vireo/api/kinds/kubevirt/index.ts';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { KUBEVIRT_NAME, KUBEVIRT_NAMESPACE } from '@vireo/api/kinds/kubevirt/names.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { VirtualMachineInstanceReplicaSet } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceReplicaSet.ts';
import { type Client, ignoreNotFound, keyOf } from '@vireo/kube';
import { Failure } from '../../failure.ts';
import { connected } from '../vms/connection.ts';
import type { ConnectionOptions } from '../vms/connectionOptions.ts';
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
    await deleteDefinitions(client, options.timeout);
    await deleteInstalled(client, [PriorityClass, StorageClass, Namespace]);
    console.log('Vireo is uninstalled, and its VMs and disks are deleted. Stop the roles that still run.');
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

/** What makes guests goes before the guests, and disks go when nothing uses them. */
const DATA: readonly (readonly Kind[])[] = [
  [VirtualMachine, VirtualMachineInstanceReplicaSet],
  [VirtualMachineInstance],
  [DataVolume],
  kubevirtKinds.filter(
    ({ group, kind, namespaced }, index, all) =>
      namespaced &&
      // Those of other storage and network providers are among them.
      !SHARED_GROUPS.includes(group) &&
      kind !== KubeVirt.kind &&
      all.findIndex((each) => each.group === group && each.kind === kind) === index,
  ),
];

/** Controllers and nodes do this work: objects of VMs have finalizers, which are theirs to remove. */
async function deleteData(client: Client, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (const kinds of DATA) for (const kind of kinds) await deleteAll(client, kind, () => true, deadline);
  const classes = (await client.of(StorageClass).list()).items.filter(
    ({ provisioner }) => provisioner === LOCAL_PROVISIONER || provisioner === SHARED_PROVISIONER,
  );
  const names = new Set(classes.map(({ metadata }) => metadata.name));
  const isOnOurs = ({ spec }: PersistentVolumeClaim): boolean => names.has(spec?.storageClassName ?? '');
  await deleteAll(client, PersistentVolumeClaim, isOnOurs, deadline);
}

async function deleteAll<T extends KubeObject>(
  client: Client,
  kind: Kind<T>,
  isMeant: (object: Persisted<T>) => boolean,
  deadline: number,
): Promise<void> {
  const resource = client.of(kind);
  const left = async (): Promise<Persisted<T>[]> => (await listIfServed(client, kind)).filter(isMeant);
  for (const object of await left()) await resource.deleteExactly(object).catch(ignoreNotFound);
  await gone(left, kind, deadline);
}

async function gone(left: () => Promise<Persisted<KubeObject>[]>, { kind }: Kind, deadline: number): Promise<void> {
  let objects = await left();
  while (objects.length > 0 && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    objects = await left();
  }
  if (objects.length === 0) return;
  throw new Failure(
    `${objects.length} objects of kind ${kind} are still there, such as ${keyOf(objects[0]!)}`,
    'Controllers and nodes delete VMs and disks: start them, and run the command again.',
  );
}

async function listIfServed<T extends KubeObject>(client: Client, kind: Kind<T>): Promise<Persisted<T>[]> {
  const list = await client.of(kind).list().catch(ignoreNotFound);
  return list?.items ?? [];
}

async function deleteDefinitions(client: Client, timeoutMs: number): Promise<void> {
  // With a definition that others use, too, their objects would go.
  const isAlone = ({ spec }: CustomResourceDefinition): boolean => !SHARED_GROUPS.includes(spec.group);
  const ours = async () =>
    (await client.of(CustomResourceDefinition).list()).items.filter((each) => isOurs(each) && isAlone(each));
  for (const definition of await ours())
    await client.of(CustomResourceDefinition).delete(definition.metadata.name).catch(ignoreNotFound);
  await gone(ours, CustomResourceDefinition, Date.now() + timeoutMs);
}
