import { mergePatchBetween, type Persisted, type StorageClass } from '@vireo/api';
import { CDI } from '@vireo/api/kinds/cdi/cdi.ts';
import { CDIConfig } from '@vireo/api/kinds/cdi/cdiConfig.ts';
import { StorageProfile } from '@vireo/api/kinds/cdi/storageProfile.ts';
import { LOCAL_PROVISIONER } from '@vireo/api/kinds/core/volumeNames.ts';
import { DEFAULT_CLASS } from '@vireo/api/kinds/volumesnapshot/names.ts';
import { VolumeSnapshotClass } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotClass.ts';
import { type Client, ignoreNotFound } from '@vireo/kube';
import { configStatus, installationStatus, profileStatus, type UploadServer } from './status.ts';

export const INSTALLATION = 'cdi';
export const CONFIG = 'config';

/** Snapshots of volumes on the nodes themselves: the default of their driver. */
export const LOCAL_CLASS = 'local';
const localSnapshotClass = {
  metadata: { name: LOCAL_CLASS, annotations: { [DEFAULT_CLASS]: 'true' } },
  driver: LOCAL_PROVISIONER,
  deletionPolicy: 'Delete',
} as const;

export interface InstallationState {
  readonly installation: Persisted<CDI> | undefined;
  readonly config: Persisted<CDIConfig> | undefined;
  readonly hasLocalSnapshotClass: boolean;
  readonly upload: UploadServer;
  readonly now: Date;
}

/** Makes the installation and its settings, and keeps their status. */
export async function reconcileInstallation(state: InstallationState, client: Client): Promise<void> {
  const { hasLocalSnapshotClass, upload, now } = state;
  const named = { metadata: { name: INSTALLATION }, spec: {} };
  const installation = state.installation ?? (await client.of(CDI).createOrGet(named)).object;
  await client.of(CDI).writeStatus(installation, installationStatus(installation, now));
  const spec = installation.spec.config ?? {};
  const config = state.config ?? (await client.of(CDIConfig).createOrGet({ metadata: { name: CONFIG }, spec })).object;
  const difference = mergePatchBetween(config.spec, spec);
  const current = difference
    ? await client.of(CDIConfig).patch(CONFIG, { spec: difference }, { type: 'merge' })
    : config;
  await client.of(CDIConfig).writeStatus(current, configStatus(current, upload));
  if (!hasLocalSnapshotClass) await client.of(VolumeSnapshotClass).createOrGet(localSnapshotClass);
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
  const profile = state.profile ?? (await resource.createOrGet({ metadata: { name }, spec: {} })).object;
  const snapshotClass = snapshotClasses.find(({ driver }) => driver === storageClass.provisioner);
  await resource.writeStatus(profile, profileStatus(profile, storageClass, snapshotClass));
}
