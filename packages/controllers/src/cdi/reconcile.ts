import { isReason, type KubeObject, mergePatchBetween, type Persisted, type StorageClass } from '@vireo/api';
import { CDI } from '@vireo/api/kinds/cdi/cdi.ts';
import { CDIConfig } from '@vireo/api/kinds/cdi/cdiConfig.ts';
import { StorageProfile } from '@vireo/api/kinds/cdi/storageProfile.ts';
import { DEFAULT_CLASS } from '@vireo/api/kinds/volumesnapshot/names.ts';
import { VolumeSnapshotClass } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotClass.ts';
import { type Client, type Draft, ignoreNotFound, type ResourceClient } from '@vireo/kube';
import { configStatus, installationStatus, profileStatus } from './status.ts';

export const INSTALLATION = 'cdi';
export const CONFIG = 'config';

/** Snapshots of volumes on the nodes themselves: the default of their driver. */
export const LOCAL_CLASS = 'local';
const localSnapshotClass = {
  metadata: { annotations: { [DEFAULT_CLASS]: 'true' } },
  driver: 'vireo.io/local',
  deletionPolicy: 'Delete',
};

export interface InstallationState {
  readonly installation: Persisted<CDI> | undefined;
  readonly config: Persisted<CDIConfig> | undefined;
  readonly hasLocalSnapshotClass: boolean;
  readonly uploadUrl: string | undefined;
  readonly now: Date;
}

/** Makes the installation and its settings, and keeps their status. */
export async function reconcileInstallation(state: InstallationState, client: Client): Promise<void> {
  const { hasLocalSnapshotClass, uploadUrl, now } = state;
  const installation = state.installation ?? (await make(client.of(CDI), { spec: {} }, INSTALLATION));
  await client.of(CDI).writeStatus(installation, installationStatus(installation, now));
  const spec = installation.spec.config ?? {};
  const config = state.config ?? (await make(client.of(CDIConfig), { spec }, CONFIG));
  const difference = mergePatchBetween(config.spec, spec);
  const current = difference
    ? await client.of(CDIConfig).patch(CONFIG, { spec: difference }, { type: 'merge' })
    : config;
  await client.of(CDIConfig).writeStatus(current, configStatus(current, uploadUrl));
  if (!hasLocalSnapshotClass) await make(client.of(VolumeSnapshotClass), localSnapshotClass, LOCAL_CLASS);
}

export interface ProfileState {
  /** Of the StorageClass and of its profile. */
  readonly name: string;
  readonly storageClass: StorageClass | undefined;
  readonly profile: Persisted<StorageProfile> | undefined;
  readonly snapshotClasses: readonly VolumeSnapshotClass[];
}

/** A StorageClass has a profile as long as it is there. */
export async function reconcileProfile(state: ProfileState, client: Client): Promise<void> {
  const { name, storageClass, snapshotClasses } = state;
  const resource = client.of(StorageProfile);
  if (!storageClass) {
    if (state.profile) await resource.delete(name).catch(ignoreNotFound);
    return;
  }
  const profile = state.profile ?? (await make(resource, { spec: {} }, name));
  const snapshotClass = snapshotClasses.find(({ driver }) => driver === storageClass.provisioner);
  await resource.writeStatus(profile, profileStatus(profile, storageClass, snapshotClass));
}

async function make<T extends KubeObject>(
  resource: ResourceClient<T>,
  content: object,
  name: string,
): Promise<Persisted<T>> {
  try {
    const { metadata = {} } = content as { metadata?: object };
    return await resource.create({ ...content, metadata: { ...metadata, name } } as unknown as Draft<T>);
  } catch (error) {
    if (!isReason(error, 'AlreadyExists')) throw error;
    return resource.get(name);
  }
}
