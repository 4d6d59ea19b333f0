import { changes, isReason, type KubeObject, StorageClass } from '@vireo/api';
import { CDI } from '@vireo/api/kinds/cdi/cdi.ts';
import { CDIConfig } from '@vireo/api/kinds/cdi/cdiConfig.ts';
import { StorageProfile } from '@vireo/api/kinds/cdi/storageProfile.ts';
import { DEFAULT_CLASS } from '@vireo/api/kinds/volumesnapshot/names.ts';
import { VolumeSnapshotClass } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotClass.ts';
import { type Draft, type ResourceClient, runController, systemClock, WorkQueue } from '@vireo/kube';
import type { ControllerContext } from '../context.ts';
import { configStatus, installationStatus, profileStatus } from './status.ts';

const INSTALLATION = 'cdi';
const CONFIG = 'config';

/** Snapshots of volumes on the nodes themselves: the default of their driver. */
const LOCAL_CLASS = 'local';
const localSnapshotClass = {
  metadata: { annotations: { [DEFAULT_CLASS]: 'true' } },
  driver: 'vireo.io/local',
  deletionPolicy: 'Delete',
};

/** Keeps the objects by which tools find an importer and ask what it can do: its installation, settings and profiles. */
export async function startImporterController(
  context: ControllerContext & { readonly uploadUrl?: string },
  signal: AbortSignal,
): Promise<void> {
  const { client, informers, log, metrics, uploadUrl, clock = systemClock } = context;
  const installations = informers.for(CDI);
  const configs = informers.for(CDIConfig);
  const classes = informers.for(StorageClass);
  const profiles = informers.for(StorageProfile);
  const snapshotClasses = informers.for(VolumeSnapshotClass);
  const queue = new WorkQueue({ clock });
  queue.add(INSTALLATION);
  const enqueue = (prefix: string) => ({
    added: ({ metadata }: KubeObject) => queue.add(`${prefix}${metadata.name}`),
    updated: (_: KubeObject, { metadata }: KubeObject) => queue.add(`${prefix}${metadata.name}`),
    deleted: ({ metadata }: KubeObject) => queue.add(`${prefix}${metadata.name}`),
  });
  const changed = { ...enqueue(''), deleted: () => queue.add(INSTALLATION) };
  installations.on(changed);
  configs.on({ ...changed, updated: () => queue.add(INSTALLATION), added: () => queue.add(INSTALLATION) });
  classes.on(enqueue('class:'));
  profiles.on(enqueue('class:'));
  snapshotClasses.on({
    added: ({ driver }) => {
      for (const { metadata, provisioner } of classes.list())
        if (provisioner === driver) queue.add(`class:${metadata.name}`);
    },
  });

  async function reconcileInstallation(): Promise<void> {
    const now = new Date(clock.now());
    const installation = installations.get(INSTALLATION) ?? (await make(client.of(CDI), { spec: {} }, INSTALLATION));
    await writeStatus(client.of(CDI), installation, installationStatus(installation, now));
    const spec = installation.spec.config ?? {};
    const config = configs.get(CONFIG) ?? (await make(client.of(CDIConfig), { spec }, CONFIG));
    const difference = changes(config.spec, spec);
    const current = difference
      ? await client.of(CDIConfig).patch(CONFIG, { spec: difference }, { type: 'merge' })
      : config;
    await writeStatus(client.of(CDIConfig), current, configStatus(current, uploadUrl));
    if (!snapshotClasses.get(LOCAL_CLASS)) await make(client.of(VolumeSnapshotClass), localSnapshotClass, LOCAL_CLASS);
  }

  async function reconcileProfile(name: string): Promise<void> {
    const storageClass = classes.get(name);
    const known = profiles.get(name);
    if (!storageClass) {
      if (known) await client.of(StorageProfile).delete(name).catch(unlessGone);
      return;
    }
    const profile = known ?? (await make(client.of(StorageProfile), { spec: {} }, name));
    const snapshotClass = snapshotClasses.list().find(({ driver }) => driver === storageClass.provisioner);
    await writeStatus(client.of(StorageProfile), profile, profileStatus(profile, storageClass, snapshotClass));
  }

  await runController(
    {
      name: 'importer',
      queue,
      informers: [installations, configs, classes, profiles, snapshotClasses],
      log,
      metrics,
      reconcile: (key) =>
        key.startsWith('class:') ? reconcileProfile(key.slice('class:'.length)) : reconcileInstallation(),
    },
    signal,
  );
}

async function make<T extends KubeObject>(resource: ResourceClient<T>, content: object, name: string): Promise<T> {
  try {
    const { metadata = {} } = content as { metadata?: object };
    return await resource.create({ ...content, metadata: { ...metadata, name } } as unknown as Draft<T>);
  } catch (error) {
    if (!isReason(error, 'AlreadyExists')) throw error;
    return resource.get(name);
  }
}

async function writeStatus<T extends KubeObject & { status?: object }>(
  resource: ResourceClient<T>,
  object: T,
  status: object,
): Promise<void> {
  const difference = changes(object.status ?? {}, status);
  const patch = { metadata: { resourceVersion: object.metadata.resourceVersion }, status: difference };
  if (difference) await resource.patchStatus(object.metadata.name ?? '', patch, { type: 'merge' });
}

function unlessGone(error: unknown): void {
  if (!isReason(error, 'NotFound')) throw error;
}
