import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, list, string, struct, time } from '../../schema.ts';
import { TypedLocalObjectReference } from '../core/references.ts';
import { phaseColumn, sourceColumns } from '../customColumns.ts';
import { conditionFields, duration, optional, required } from '../customResource.ts';

export const ExportCondition = struct(
  'io.kubevirt.export.v1.Condition',
  'A condition of a VirtualMachineExport, such as Ready.',
  conditionFields,
);
export interface ExportCondition extends Infer<typeof ExportCondition> {}

export const VirtualMachineExportVolumeFormat = struct(
  'io.kubevirt.export.v1.VirtualMachineExportVolumeFormat',
  'A format in which a volume can be downloaded.',
  {
    format: required(string, 'Format of the download: raw, gzip, dir or tar.gz.'),
    url: required(string, 'URL of the download.'),
  },
);
export interface VirtualMachineExportVolumeFormat extends Infer<typeof VirtualMachineExportVolumeFormat> {}

export const VirtualMachineExportVolume = struct(
  'io.kubevirt.export.v1.VirtualMachineExportVolume',
  'A volume that can be downloaded.',
  {
    formats: optional(
      list(VirtualMachineExportVolumeFormat, ['format']),
      'Formats in which the volume can be downloaded.',
    ),
    name: required(string, 'Name of the PersistentVolumeClaim.'),
  },
);
export interface VirtualMachineExportVolume extends Infer<typeof VirtualMachineExportVolume> {}

export const VirtualMachineExportManifest = struct(
  'io.kubevirt.export.v1.VirtualMachineExportManifest',
  'Manifests that can be downloaded.',
  {
    type: required(string, 'Content of the manifests: all, or auth-header-secret.'),
    url: required(string, 'URL of the manifests.'),
  },
);
export interface VirtualMachineExportManifest extends Infer<typeof VirtualMachineExportManifest> {}

export const VirtualMachineExportBackupEndpoint = struct(
  'io.kubevirt.export.v1.VirtualMachineExportBackupEndpoint',
  'URL of one part of a backup.',
  {
    endpoint: required(string, 'Part of the backup: data or map.'),
    url: required(string, 'URL of the part.'),
  },
);
export interface VirtualMachineExportBackupEndpoint extends Infer<typeof VirtualMachineExportBackupEndpoint> {}

export const VirtualMachineExportBackup = struct(
  'io.kubevirt.export.v1.VirtualMachineExportBackup',
  'A volume of a backup that can be downloaded.',
  {
    endpoints: optional(list(VirtualMachineExportBackupEndpoint, ['endpoint']), 'URLs of the parts of the backup.'),
    name: required(string, 'Name of the volume.'),
  },
);
export interface VirtualMachineExportBackup extends Infer<typeof VirtualMachineExportBackup> {}

export const VirtualMachineExportLink = struct(
  'io.kubevirt.export.v1.VirtualMachineExportLink',
  'URLs of the exported volumes, backups and manifests.',
  {
    backups: optional(list(VirtualMachineExportBackup, ['name']), 'Volumes of a backup that can be downloaded.'),
    cert: required(string, 'CA certificates of the export server, in PEM.'),
    manifests: optional(list(VirtualMachineExportManifest, ['type']), 'Manifests that can be downloaded.'),
    volumes: optional(list(VirtualMachineExportVolume, ['name']), 'Volumes that can be downloaded.'),
  },
);
export interface VirtualMachineExportLink extends Infer<typeof VirtualMachineExportLink> {}

export const VirtualMachineExportLinks = struct(
  'io.kubevirt.export.v1.VirtualMachineExportLinks',
  'URLs of the export, from inside and outside the cluster.',
  {
    external: optional(VirtualMachineExportLink, 'URLs for clients outside the cluster.'),
    internal: optional(VirtualMachineExportLink, 'URLs for clients inside the cluster.'),
  },
);
export interface VirtualMachineExportLinks extends Infer<typeof VirtualMachineExportLinks> {}

export const VirtualMachineExportSpec = struct(
  'io.kubevirt.export.v1.VirtualMachineExportSpec',
  'What to export, how to authenticate, and for how long.',
  {
    source: required(
      TypedLocalObjectReference,
      'PersistentVolumeClaim, VirtualMachine, VirtualMachineSnapshot or VirtualMachineBackup to export.',
    ),
    tokenSecretRef: optional(
      string,
      'Name of a Secret whose key token holds the download token. If missing, the system creates one.',
    ),
    ttlDuration: optional(duration, 'How long the export exists. Defaults to 2h.'),
  },
);
export interface VirtualMachineExportSpec extends Infer<typeof VirtualMachineExportSpec> {}

export const VirtualMachineExportStatus = struct(
  'io.kubevirt.export.v1.VirtualMachineExportStatus',
  'Observed state of a VirtualMachineExport.',
  {
    conditions: optional(list(ExportCondition, 'atomic'), 'Conditions of the export.'),
    links: optional(VirtualMachineExportLinks, 'URLs for inside and outside the cluster.'),
    phase: optional(string, 'State of the export: Pending, Ready, Terminated or Skipped.'),
    serviceName: optional(string, 'Name of the Service of the export server.'),
    tokenSecretRef: optional(string, 'Name of the Secret that holds the download token.'),
    ttlExpirationTime: optional(time, 'Time at which the export is deleted.'),
    virtualMachineName: optional(string, 'Name of the VirtualMachine, if the source is one.'),
  },
);
export interface VirtualMachineExportStatus extends Infer<typeof VirtualMachineExportStatus> {}

export const VirtualMachineExportSchema = struct(
  'io.kubevirt.export.v1.VirtualMachineExport',
  'Offers the disks and manifests of a VirtualMachine, a snapshot or a claim for download.',
  {
    ...objectFields,
    spec: required(VirtualMachineExportSpec, 'Desired state of the VirtualMachineExport.'),
    status: optional(VirtualMachineExportStatus, 'Observed state of the VirtualMachineExport. The system writes it.'),
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
