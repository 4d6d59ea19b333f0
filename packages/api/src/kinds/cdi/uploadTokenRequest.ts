import { objectFields } from '../../meta.ts';
import { type Infer, string, struct } from '../../schema.ts';
import { optional, required } from '../customResource.ts';

export const UploadTokenRequestSpec = struct(
  'io.kubevirt.cdi.upload.v1beta1.UploadTokenRequestSpec',
  'The claim that the token is for.',
  {
    pvcName: required(string, 'Name of the PersistentVolumeClaim to upload to.'),
  },
);
export interface UploadTokenRequestSpec extends Infer<typeof UploadTokenRequestSpec> {}

export const UploadTokenRequestStatus = struct(
  'io.kubevirt.cdi.upload.v1beta1.UploadTokenRequestStatus',
  'The token that was issued.',
  {
    token: optional(string, 'Bearer token to send to the upload proxy.'),
  },
);
export interface UploadTokenRequestStatus extends Infer<typeof UploadTokenRequestStatus> {}

/** Served by an extension, not as a custom resource: it is answered and never stored. */
export const UploadTokenRequestSchema = struct(
  'io.kubevirt.cdi.upload.v1beta1.UploadTokenRequest',
  'Requests a token for an upload to a PersistentVolumeClaim.',
  {
    ...objectFields,
    spec: required(UploadTokenRequestSpec, 'The claim that the token is for.'),
    status: optional(UploadTokenRequestStatus, 'The token that was issued.'),
  },
);
export interface UploadTokenRequest extends Infer<typeof UploadTokenRequestSchema> {}
