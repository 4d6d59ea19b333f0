import { boolean, type Infer, list, string, struct } from '../../schema.ts';
import { optional, required } from '../customResource.ts';

export const DataVolumeBlankImage = struct(
  'io.kubevirt.cdi.v1beta1.DataVolumeBlankImage',
  'Creates an empty disk.',
  {},
);
export interface DataVolumeBlankImage extends Infer<typeof DataVolumeBlankImage> {}

export const DataVolumeSourceUpload = struct(
  'io.kubevirt.cdi.v1beta1.DataVolumeSourceUpload',
  'Waits for data that a client uploads.',
  {},
);
export interface DataVolumeSourceUpload extends Infer<typeof DataVolumeSourceUpload> {}

export const DataVolumeSourceGCS = struct(
  'io.kubevirt.cdi.v1beta1.DataVolumeSourceGCS',
  'Imports an image from Google Cloud Storage.',
  {
    secretRef: optional(string, 'Name of a Secret with the credentials.'),
    url: required(string, 'URL of the image.'),
  },
);
export interface DataVolumeSourceGCS extends Infer<typeof DataVolumeSourceGCS> {}

export const DataVolumeSourceHTTP = struct(
  'io.kubevirt.cdi.v1beta1.DataVolumeSourceHTTP',
  'Imports an image from an HTTP or HTTPS server.',
  {
    certConfigMap: optional(string, 'Name of a ConfigMap with CA certificates to trust.'),
    checksum: optional(string, 'Checksum to verify, as algorithm:value, such as sha256:….'),
    extraHeaders: optional(list(string), 'Headers to send with each request, each as name: value.'),
    secretExtraHeaders: optional(list(string), 'Names of Secrets whose values are sent as headers.'),
    secretRef: optional(string, 'Name of a Secret with accessKeyId (user) and secretKey (password).'),
    url: required(string, 'URL of the image, with http or https.'),
  },
);
export interface DataVolumeSourceHTTP extends Infer<typeof DataVolumeSourceHTTP> {}

export const DataVolumeSourceImageIO = struct(
  'io.kubevirt.cdi.v1beta1.DataVolumeSourceImageIO',
  "Imports a disk from oVirt's imageio service.",
  {
    certConfigMap: optional(string, 'Name of a ConfigMap with CA certificates to trust.'),
    diskId: required(string, 'ID of the disk in oVirt.'),
    insecureSkipVerify: optional(boolean, 'Whether to accept any TLS certificate.'),
    secretRef: optional(string, 'Name of a Secret with the credentials.'),
    url: required(string, 'URL of the imageio service.'),
  },
);
export interface DataVolumeSourceImageIO extends Infer<typeof DataVolumeSourceImageIO> {}

export const DataVolumeSourcePVC = struct(
  'io.kubevirt.cdi.v1beta1.DataVolumeSourcePVC',
  'Clones a PersistentVolumeClaim.',
  {
    name: required(string, 'Name of the claim to clone.'),
    namespace: required(string, 'Namespace of the claim to clone.'),
  },
);
export interface DataVolumeSourcePVC extends Infer<typeof DataVolumeSourcePVC> {}

export const PlatformOptions = struct(
  'io.kubevirt.cdi.v1beta1.PlatformOptions',
  'Selects an image from a multi-platform index.',
  {
    architecture: optional(string, 'CPU architecture of the image, such as amd64.'),
  },
);
export interface PlatformOptions extends Infer<typeof PlatformOptions> {}

export const DataVolumeSourceRegistry = struct(
  'io.kubevirt.cdi.v1beta1.DataVolumeSourceRegistry',
  'Imports a disk from a container image.',
  {
    certConfigMap: optional(string, 'Name of a ConfigMap with CA certificates to trust.'),
    imageStream: optional(string, 'Name of an image stream, for pullMethod node.'),
    platform: optional(PlatformOptions, 'Selects an image from a multi-platform index.'),
    pullMethod: optional(string, 'How the image is pulled: pod or node. Defaults to pod.'),
    secretRef: optional(string, 'Name of a Secret with accessKeyId (user) and secretKey (password).'),
    url: optional(string, 'URL of the image: docker://… for a registry, oci-archive://… for a file.'),
  },
);
export interface DataVolumeSourceRegistry extends Infer<typeof DataVolumeSourceRegistry> {}

export const DataVolumeSourceS3 = struct(
  'io.kubevirt.cdi.v1beta1.DataVolumeSourceS3',
  'Imports an image from S3 or a compatible store.',
  {
    certConfigMap: optional(string, 'Name of a ConfigMap with CA certificates to trust.'),
    secretRef: optional(string, 'Name of a Secret with accessKeyId and secretKey.'),
    url: required(string, 'URL of the image.'),
  },
);
export interface DataVolumeSourceS3 extends Infer<typeof DataVolumeSourceS3> {}

export const DataVolumeSourceSnapshot = struct(
  'io.kubevirt.cdi.v1beta1.DataVolumeSourceSnapshot',
  'Clones a VolumeSnapshot.',
  {
    name: required(string, 'Name of the VolumeSnapshot to clone.'),
    namespace: required(string, 'Namespace of the VolumeSnapshot to clone.'),
  },
);
export interface DataVolumeSourceSnapshot extends Infer<typeof DataVolumeSourceSnapshot> {}

export const DataVolumeSourceVDDK = struct(
  'io.kubevirt.cdi.v1beta1.DataVolumeSourceVDDK',
  'Imports a disk from VMware vSphere with VDDK.',
  {
    backingFile: optional(string, 'Path of the virtual disk in its datastore.'),
    extraArgs: optional(string, 'Name of a ConfigMap with further arguments for VDDK.'),
    initImageURL: optional(string, 'Container image with the VDDK library.'),
    secretRef: optional(string, 'Name of a Secret with the credentials.'),
    thumbprint: optional(string, "Thumbprint of the host's certificate."),
    url: optional(string, 'URL of the vCenter or ESXi host.'),
    uuid: optional(string, 'UUID of the virtual machine in vSphere.'),
  },
);
export interface DataVolumeSourceVDDK extends Infer<typeof DataVolumeSourceVDDK> {}

export const DataVolumeSourceSpec = struct(
  'io.kubevirt.cdi.v1beta1.DataVolumeSource',
  'Source of the data. Set exactly one field.',
  {
    blank: optional(DataVolumeBlankImage, 'Create an empty disk.'),
    gcs: optional(DataVolumeSourceGCS, 'Import an image from Google Cloud Storage.'),
    http: optional(DataVolumeSourceHTTP, 'Import an image from an HTTP or HTTPS server.'),
    imageio: optional(DataVolumeSourceImageIO, "Import a disk from oVirt's imageio service."),
    pvc: optional(DataVolumeSourcePVC, 'Clone a PersistentVolumeClaim.'),
    registry: optional(DataVolumeSourceRegistry, 'Import a disk from a container image.'),
    s3: optional(DataVolumeSourceS3, 'Import an image from S3 or a compatible store.'),
    snapshot: optional(DataVolumeSourceSnapshot, 'Clone a VolumeSnapshot.'),
    upload: optional(
      DataVolumeSourceUpload,
      'Wait for data that a client uploads, for instance with virtctl image-upload.',
    ),
    vddk: optional(DataVolumeSourceVDDK, 'Import a disk from VMware vSphere with VDDK.'),
  },
);
export interface DataVolumeSourceSpec extends Infer<typeof DataVolumeSourceSpec> {}

export const DataVolumeSourceRef = struct(
  'io.kubevirt.cdi.v1beta1.DataVolumeSourceRef',
  'Refers to an object that names the source of the data.',
  {
    kind: required(string, 'Kind of the object. Only DataSource is supported.'),
    name: required(string, 'Name of the DataSource.'),
    namespace: optional(string, "Namespace of the DataSource. Defaults to the DataVolume's namespace."),
  },
);
export interface DataVolumeSourceRef extends Infer<typeof DataVolumeSourceRef> {}

export const DataVolumeCheckpoint = struct(
  'io.kubevirt.cdi.v1beta1.DataVolumeCheckpoint',
  'One stage of a multi-stage import.',
  {
    current: required(string, 'ID of the snapshot to copy in this stage.'),
    previous: required(string, 'The snapshot that was copied before; empty for the first.'),
  },
);
export interface DataVolumeCheckpoint extends Infer<typeof DataVolumeCheckpoint> {}
