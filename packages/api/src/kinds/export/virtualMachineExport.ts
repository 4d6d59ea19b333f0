import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, list, string, struct, time } from '../../schema.ts';
import { TypedLocalObjectReference } from '../core/references.ts';
import { phaseColumn, sourceColumns } from '../customColumns.ts';
import { conditionFields, duration, optional, required } from '../customResource.ts';

export const ExportCondition = struct(
  'io.kubevirt.export.v1.Condition',
  'One observation about an export.',
  conditionFields,
);
export interface ExportCondition extends Infer<typeof ExportCondition> {}

export const VirtualMachineExportVolumeFormat = struct(
  'io.kubevirt.export.v1.VirtualMachineExportVolumeFormat',
  'A format that a volume can be had in.',
  {
    format: required(string, 'raw, gzip, dir or tar.gz.'),
    url: required(string, 'Where it is.'),
  },
);
export interface VirtualMachineExportVolumeFormat extends Infer<typeof VirtualMachineExportVolumeFormat> {}

export const VirtualMachineExportVolume = struct(
  'io.kubevirt.export.v1.VirtualMachineExportVolume',
  'A volume that can be had.',
  {
    formats: optional(list(VirtualMachineExportVolumeFormat, ['format']), 'Its formats.'),
    name: required(string, 'Name of its claim.'),
  },
);
export interface VirtualMachineExportVolume extends Infer<typeof VirtualMachineExportVolume> {}

export const VirtualMachineExportManifest = struct(
  'io.kubevirt.export.v1.VirtualMachineExportManifest',
  'Manifests that can be had.',
  {
    type: required(string, 'all or auth-header-secret.'),
    url: required(string, 'Where they are.'),
  },
);
export interface VirtualMachineExportManifest extends Infer<typeof VirtualMachineExportManifest> {}

export const VirtualMachineExportBackupEndpoint = struct(
  'io.kubevirt.export.v1.VirtualMachineExportBackupEndpoint',
  'Where a part of a backup is.',
  {
    endpoint: required(string, 'Which part: data or map.'),
    url: required(string, 'Where it is.'),
  },
);
export interface VirtualMachineExportBackupEndpoint extends Infer<typeof VirtualMachineExportBackupEndpoint> {}

export const VirtualMachineExportBackup = struct(
  'io.kubevirt.export.v1.VirtualMachineExportBackup',
  'A volume of a backup that can be had.',
  {
    endpoints: optional(list(VirtualMachineExportBackupEndpoint, ['endpoint']), 'Where its parts are.'),
    name: required(string, 'Name of the volume.'),
  },
);
export interface VirtualMachineExportBackup extends Infer<typeof VirtualMachineExportBackup> {}

export const VirtualMachineExportLink = struct(
  'io.kubevirt.export.v1.VirtualMachineExportLink',
  'Where everything is.',
  {
    backups: optional(list(VirtualMachineExportBackup, ['name']), 'Volumes of a backup.'),
    cert: required(string, 'Certificates of the server, in PEM.'),
    manifests: optional(list(VirtualMachineExportManifest, ['type']), 'Manifests.'),
    volumes: optional(list(VirtualMachineExportVolume, ['name']), 'Volumes.'),
  },
);
export interface VirtualMachineExportLink extends Infer<typeof VirtualMachineExportLink> {}

export const VirtualMachineExportLinks = struct(
  'io.kubevirt.export.v1.VirtualMachineExportLinks',
  'Where everything is, by the way there.',
  {
    external: optional(VirtualMachineExportLink, 'From outside the cluster.'),
    internal: optional(VirtualMachineExportLink, 'From inside the cluster.'),
  },
);
export interface VirtualMachineExportLinks extends Infer<typeof VirtualMachineExportLinks> {}

export const VirtualMachineExportSpec = struct(
  'io.kubevirt.export.v1.VirtualMachineExportSpec',
  'What is offered, and for how long.',
  {
    source: required(TypedLocalObjectReference, 'A claim, a machine, a snapshot or a backup.'),
    tokenSecretRef: optional(string, 'Secret whose key token holds the password; made by the system when missing.'),
    ttlDuration: optional(duration, 'How long the export lasts; 2h when missing.'),
  },
);
export interface VirtualMachineExportSpec extends Infer<typeof VirtualMachineExportSpec> {}

export const VirtualMachineExportStatus = struct(
  'io.kubevirt.export.v1.VirtualMachineExportStatus',
  'How an export is doing.',
  {
    conditions: optional(list(ExportCondition, 'atomic'), 'Observations about the export, one a type.'),
    links: optional(VirtualMachineExportLinks, 'Where everything is.'),
    phase: optional(string, 'Pending, Ready, Terminated or Skipped.'),
    serviceName: optional(string, 'The service behind it.'),
    tokenSecretRef: optional(string, 'Secret with the password.'),
    ttlExpirationTime: optional(time, 'When it ends.'),
    virtualMachineName: optional(string, 'The machine, where the source is one.'),
  },
);
export interface VirtualMachineExportStatus extends Infer<typeof VirtualMachineExportStatus> {}

export const VirtualMachineExportSchema = struct(
  'io.kubevirt.export.v1.VirtualMachineExport',
  'Offers disks and manifests of a machine for download.',
  {
    ...objectFields,
    spec: required(VirtualMachineExportSpec, 'What is wanted.'),
    status: optional(VirtualMachineExportStatus, 'What was last observed. Written by the system.'),
  },
);
export interface VirtualMachineExport extends Infer<typeof VirtualMachineExportSchema> {}

export const VirtualMachineExport = defineKind<VirtualMachineExport>({
  group: 'export.kubevirt.io',
  version: 'v1',
  kind: 'VirtualMachineExport',
  plural: 'virtualmachineexports',
  namespaced: true,
  shortNames: ['vmexport', 'vmexports'],
  categories: ['all'],
  schema: VirtualMachineExportSchema,
  columns: [...sourceColumns, phaseColumn],
});
