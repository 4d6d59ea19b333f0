import { type Infer, int32, string, struct } from '../../schema.ts';
import { optional } from '../customResource.ts';

export const SEVMeasurementInfo = struct(
  'io.kubevirt.v1.SEVMeasurementInfo',
  'Launch measurement of a guest with AMD SEV.',
  {
    apiMajor: optional(int32, 'Major version of the SEV API.'),
    apiMinor: optional(int32, 'Minor version of the SEV interface.'),
    apiVersion: optional(string, 'Group and version of the object.'),
    buildID: optional(int32, 'Build ID of the SEV firmware.'),
    kind: optional(string, 'Kind of the object.'),
    loaderSHA: optional(string, "SHA-256 of the guest's firmware."),
    measurement: optional(string, 'Launch measurement, encoded in base64.'),
    policy: optional(int32, 'The policy in force, as a number.'),
  },
);
export interface SEVMeasurementInfo extends Infer<typeof SEVMeasurementInfo> {}

export const SEVPlatformInfo = struct('io.kubevirt.v1.SEVPlatformInfo', 'Certificates of a node with AMD SEV.', {
  apiVersion: optional(string, 'Group and version of the object.'),
  certChain: optional(string, 'Certificate chain of the platform, encoded in base64.'),
  kind: optional(string, 'Kind of the object.'),
  pdh: optional(string, 'Diffie-Hellman key of the platform, encoded in base64.'),
});
export interface SEVPlatformInfo extends Infer<typeof SEVPlatformInfo> {}

export const SEVSecretOptions = struct('io.kubevirt.v1.SEVSecretOptions', 'A secret to inject into a paused guest.', {
  header: optional(string, 'Header of the secret, encoded in base64.'),
  secret: optional(string, 'The encrypted secret, encoded in base64.'),
});
export interface SEVSecretOptions extends Infer<typeof SEVSecretOptions> {}

export const SEVSessionOptions = struct(
  'io.kubevirt.v1.SEVSessionOptions',
  "Session parameters of the guest's owner.",
  {
    dhCert: optional(string, 'Key of the owner, in base64.'),
    session: optional(string, 'Session blob, encoded in base64.'),
  },
);
export interface SEVSessionOptions extends Infer<typeof SEVSessionOptions> {}
