import { boolean, type Infer, int64, list, map, oneOf, string, struct } from '../../schema.ts';
import { duration, optional, required } from '../customResource.ts';
import { Disk } from './disk.ts';
import { HotplugVolumeSource } from './volumeSources.ts';

export const AddVolumeOptions = struct(
  'io.kubevirt.v1.AddVolumeOptions',
  'Options of the addvolume subresource: a volume to hotplug.',
  {
    disk: optional(
      Disk,
      'The disk to attach. If missing, the volume is inserted into the CD-ROM drive of the same name.',
    ),
    dryRun: optional(list(string, 'atomic'), 'All, to check and change nothing.'),
    force: optional(boolean, 'With replace: whether to open the tray even if the guest has locked it.'),
    name: required(string, 'Name of the volume and of the disk.'),
    replace: optional(boolean, 'Whether to eject the medium that is in the CD-ROM drive.'),
    volumeSource: required(HotplugVolumeSource, 'Claim or DataVolume that backs the disk.'),
  },
);
export interface AddVolumeOptions extends Infer<typeof AddVolumeOptions> {}

export const RemoveVolumeOptions = struct(
  'io.kubevirt.v1.RemoveVolumeOptions',
  'Options of the removevolume subresource: a volume to unplug.',
  {
    diskRetentionPolicy: optional(
      oneOf('keep', 'delete'),
      'What happens to the disk: delete, or keep for a CD-ROM drive that stays when its medium is ejected. Defaults to delete.',
    ),
    dryRun: optional(list(string, 'atomic'), 'All, to check and change nothing.'),
    force: optional(boolean, 'Whether a CD-ROM is ejected although the guest has locked the tray.'),
    name: required(string, 'Name of the volume and of the disk.'),
  },
);
export interface RemoveVolumeOptions extends Infer<typeof RemoveVolumeOptions> {}

export const StartOptions = struct('io.kubevirt.v1.StartOptions', 'Options of the start subresource.', {
  apiVersion: optional(string, 'Group and version of the object.'),
  dryRun: optional(list(string, 'atomic'), 'All, to check and change nothing.'),
  kind: optional(string, 'Kind of the object.'),
  paused: optional(boolean, 'Whether the guest does not run yet.'),
});
export interface StartOptions extends Infer<typeof StartOptions> {}

export const StopOptions = struct('io.kubevirt.v1.StopOptions', 'Options of the stop subresource.', {
  apiVersion: optional(string, 'Group and version of the object.'),
  dryRun: optional(list(string, 'atomic'), 'All, to check and change nothing.'),
  gracePeriod: optional(int64, 'Seconds the guest has to shut down.'),
  kind: optional(string, 'Kind of the object.'),
});
export interface StopOptions extends Infer<typeof StopOptions> {}

export const RestartOptions = struct('io.kubevirt.v1.RestartOptions', 'Options of the restart subresource.', {
  apiVersion: optional(string, 'Group and version of the object.'),
  dryRun: optional(list(string, 'atomic'), 'All, to check and change nothing.'),
  gracePeriodSeconds: optional(int64, 'Grace period in seconds. 0 powers the guest off at once.'),
  kind: optional(string, 'Kind of the object.'),
});
export interface RestartOptions extends Infer<typeof RestartOptions> {}

export const MigrateOptions = struct('io.kubevirt.v1.MigrateOptions', 'Options of the migrate subresource.', {
  addedNodeSelector: optional(
    map(string),
    "Labels that the target node must have in addition to the VM's node selector.",
  ),
  apiVersion: optional(string, 'Group and version of the object.'),
  dryRun: optional(list(string, 'atomic'), 'All, to check and change nothing.'),
  kind: optional(string, 'Kind of the object.'),
});
export interface MigrateOptions extends Infer<typeof MigrateOptions> {}

export const PauseOptions = struct('io.kubevirt.v1.PauseOptions', 'Options of the pause subresource.', {
  apiVersion: optional(string, 'Group and version of the object.'),
  dryRun: optional(list(string, 'atomic'), 'All, to check and change nothing.'),
  kind: optional(string, 'Kind of the object.'),
});
export interface PauseOptions extends Infer<typeof PauseOptions> {}

export const UnpauseOptions = struct('io.kubevirt.v1.UnpauseOptions', 'Options of the unpause subresource.', {
  apiVersion: optional(string, 'Group and version of the object.'),
  dryRun: optional(list(string, 'atomic'), 'All, to check and change nothing.'),
  kind: optional(string, 'Kind of the object.'),
});
export interface UnpauseOptions extends Infer<typeof UnpauseOptions> {}

export const EvacuateCancelOptions = struct(
  'io.kubevirt.v1.EvacuateCancelOptions',
  'Options of the evacuatecancel subresource.',
  {
    apiVersion: optional(string, 'Group and version of the object.'),
    dryRun: optional(list(string, 'atomic'), 'All, to check and change nothing.'),
    evacuationNodeName: required(string, 'The node that was to be left.'),
    kind: optional(string, 'Kind of the object.'),
  },
);
export interface EvacuateCancelOptions extends Infer<typeof EvacuateCancelOptions> {}

export const MemoryDumpOptions = struct('io.kubevirt.v1.MemoryDumpOptions', 'Options of the memorydump subresource.', {
  claimName: optional(string, 'Name of the claim. Defaults to that of the previous dump.'),
});
export interface MemoryDumpOptions extends Infer<typeof MemoryDumpOptions> {}

export const FreezeUnfreezeTimeout = struct(
  'io.kubevirt.v1.FreezeUnfreezeTimeout',
  'Options of the freeze subresource.',
  {
    unfreezeTimeout: required(duration, 'Time after which the filesystems are thawed, such as 5m.'),
  },
);
export interface FreezeUnfreezeTimeout extends Infer<typeof FreezeUnfreezeTimeout> {}
