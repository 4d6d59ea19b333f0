import { boolean, type Infer, list, string, struct } from '../../schema.ts';
import { optional, required } from '../customResource.ts';

export const DataVolumeBlankImage = struct('io.kubevirt.cdi.v1beta1.DataVolumeBlankImage', 'A blank disk.', {});
export interface DataVolumeBlankImage extends Infer<typeof DataVolumeBlankImage> {}

export const DataVolumeSourceUpload = struct(
  'io.kubevirt.cdi.v1beta1.DataVolumeSourceUpload',
  'Data that is uploaded.',
  {},
);
export interface DataVolumeSourceUpload extends Infer<typeof DataVolumeSourceUpload> {}

export const DataVolumeSourceGCS = struct(
  'io.kubevirt.cdi.v1beta1.DataVolumeSourceGCS',
  'An image in Google Cloud Storage.',
  {
    secretRef: optional(string, 'Secret with the credentials.'),
    url: required(string, 'Where it is.'),
  },
);
export interface DataVolumeSourceGCS extends Infer<typeof DataVolumeSourceGCS> {}

export const DataVolumeSourceHTTP = struct(
  'io.kubevirt.cdi.v1beta1.DataVolumeSourceHTTP',
  'An image on a web server.',
  {
    certConfigMap: optional(string, 'ConfigMap with certificates to trust.'),
    checksum: optional(string, 'Checksum to compare, such as sha256:….'),
    extraHeaders: optional(list(string), 'Headers to send.'),
    secretExtraHeaders: optional(list(string), 'Secrets with headers to send.'),
    secretRef: optional(string, 'Secret with user and password.'),
    url: required(string, 'Where it is.'),
  },
);
export interface DataVolumeSourceHTTP extends Infer<typeof DataVolumeSourceHTTP> {}

export const DataVolumeSourceImageIO = struct('io.kubevirt.cdi.v1beta1.DataVolumeSourceImageIO', 'A disk of oVirt.', {
  certConfigMap: optional(string, 'ConfigMap with certificates to trust.'),
  diskId: required(string, 'Id of the disk.'),
  insecureSkipVerify: optional(boolean, 'Whether any certificate is trusted.'),
  secretRef: optional(string, 'Secret with the credentials.'),
  url: required(string, 'Where the service is.'),
});
export interface DataVolumeSourceImageIO extends Infer<typeof DataVolumeSourceImageIO> {}

export const DataVolumeSourcePVC = struct('io.kubevirt.cdi.v1beta1.DataVolumeSourcePVC', 'A claim to copy.', {
  name: required(string, 'Name of the claim.'),
  namespace: required(string, 'Namespace of the claim.'),
});
export interface DataVolumeSourcePVC extends Infer<typeof DataVolumeSourcePVC> {}

export const PlatformOptions = struct('io.kubevirt.cdi.v1beta1.PlatformOptions', 'Which image of several to take.', {
  architecture: optional(string, 'Its architecture.'),
});
export interface PlatformOptions extends Infer<typeof PlatformOptions> {}

export const DataVolumeSourceRegistry = struct(
  'io.kubevirt.cdi.v1beta1.DataVolumeSourceRegistry',
  'An image in a container registry.',
  {
    certConfigMap: optional(string, 'ConfigMap with certificates to trust.'),
    imageStream: optional(string, 'Image stream, for pullMethod node.'),
    platform: optional(PlatformOptions, 'Which image of several to take.'),
    pullMethod: optional(string, 'Who pulls it: pod or node. pod when missing.'),
    secretRef: optional(string, 'Secret with the credentials.'),
    url: optional(string, 'Where it is; docker:// or oci-archive://.'),
  },
);
export interface DataVolumeSourceRegistry extends Infer<typeof DataVolumeSourceRegistry> {}

export const DataVolumeSourceS3 = struct('io.kubevirt.cdi.v1beta1.DataVolumeSourceS3', 'An image in S3.', {
  certConfigMap: optional(string, 'ConfigMap with certificates to trust.'),
  secretRef: optional(string, 'Secret with the credentials.'),
  url: required(string, 'Where it is.'),
});
export interface DataVolumeSourceS3 extends Infer<typeof DataVolumeSourceS3> {}

export const DataVolumeSourceSnapshot = struct(
  'io.kubevirt.cdi.v1beta1.DataVolumeSourceSnapshot',
  'A VolumeSnapshot to copy.',
  {
    name: required(string, 'Name of the snapshot.'),
    namespace: required(string, 'Namespace of the snapshot.'),
  },
);
export interface DataVolumeSourceSnapshot extends Infer<typeof DataVolumeSourceSnapshot> {}

export const DataVolumeSourceVDDK = struct('io.kubevirt.cdi.v1beta1.DataVolumeSourceVDDK', 'A disk of VMware.', {
  backingFile: optional(string, "The disk's file."),
  extraArgs: optional(string, 'ConfigMap with further arguments.'),
  initImageURL: optional(string, 'Image with the VDDK library.'),
  secretRef: optional(string, 'Secret with the credentials.'),
  thumbprint: optional(string, "Thumbprint of the host's certificate."),
  url: optional(string, 'Where the host is.'),
  uuid: optional(string, 'UUID of the machine.'),
});
export interface DataVolumeSourceVDDK extends Infer<typeof DataVolumeSourceVDDK> {}

export const DataVolumeSourceSpec = struct(
  'io.kubevirt.cdi.v1beta1.DataVolumeSource',
  'Where data comes from. One of them.',
  {
    blank: optional(DataVolumeBlankImage, 'Nowhere; the disk is blank.'),
    gcs: optional(DataVolumeSourceGCS, 'An image in Google Cloud Storage.'),
    http: optional(DataVolumeSourceHTTP, 'An image on a web server.'),
    imageio: optional(DataVolumeSourceImageIO, 'A disk of oVirt.'),
    pvc: optional(DataVolumeSourcePVC, 'A claim to copy.'),
    registry: optional(DataVolumeSourceRegistry, 'An image in a container registry.'),
    s3: optional(DataVolumeSourceS3, 'An image in S3.'),
    snapshot: optional(DataVolumeSourceSnapshot, 'A VolumeSnapshot to copy.'),
    upload: optional(DataVolumeSourceUpload, 'Data that is uploaded.'),
    vddk: optional(DataVolumeSourceVDDK, 'A disk of VMware.'),
  },
);
export interface DataVolumeSourceSpec extends Infer<typeof DataVolumeSourceSpec> {}

export const DataVolumeSourceRef = struct(
  'io.kubevirt.cdi.v1beta1.DataVolumeSourceRef',
  'Names an object that says where data comes from.',
  {
    kind: required(string, 'DataSource.'),
    name: required(string, 'Name of the object.'),
    namespace: optional(string, "Namespace of the object; the DataVolume's own when missing."),
  },
);
export interface DataVolumeSourceRef extends Infer<typeof DataVolumeSourceRef> {}

export const DataVolumeCheckpoint = struct(
  'io.kubevirt.cdi.v1beta1.DataVolumeCheckpoint',
  'One step of an import in several.',
  {
    current: required(string, 'The snapshot to copy.'),
    previous: required(string, 'The snapshot that was copied before; empty for the first.'),
  },
);
export interface DataVolumeCheckpoint extends Infer<typeof DataVolumeCheckpoint> {}
