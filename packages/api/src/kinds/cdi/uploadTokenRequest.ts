import { objectFields } from '../../meta.ts';
import { type Infer, string, struct } from '../../schema.ts';
import { optional, required } from '../customResource.ts';

export const UploadTokenRequestSpec = struct(
  'io.kubevirt.cdi.upload.v1beta1.UploadTokenRequestSpec',
  'What is to be uploaded to.',
  {
    pvcName: required(string, 'Name of the claim.'),
  },
);
export interface UploadTokenRequestSpec extends Infer<typeof UploadTokenRequestSpec> {}

export const UploadTokenRequestStatus = struct(
  'io.kubevirt.cdi.upload.v1beta1.UploadTokenRequestStatus',
  'The answer to a request.',
  {
    token: optional(string, 'Bearer token for the upload proxy.'),
  },
);
export interface UploadTokenRequestStatus extends Infer<typeof UploadTokenRequestStatus> {}

/** Served by an extension, not as a custom resource: it is answered and never stored. */
export const UploadTokenRequestSchema = struct(
  'io.kubevirt.cdi.upload.v1beta1.UploadTokenRequest',
  'Asks for a token to upload to a claim with.',
  {
    ...objectFields,
    spec: required(UploadTokenRequestSpec, 'What is asked for.'),
    status: optional(UploadTokenRequestStatus, 'The answer.'),
  },
);
export interface UploadTokenRequest extends Infer<typeof UploadTokenRequestSchema> {}
