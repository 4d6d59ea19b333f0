import { type Infer, int32, string, struct } from '../../schema.ts';
import { optional } from '../customResource.ts';

export const SEVMeasurementInfo = struct('io.kubevirt.v1.SEVMeasurementInfo', 'What AMD SEV measured of a guest.', {
  apiMajor: optional(int32, 'Version of the SEV interface.'),
  apiMinor: optional(int32, 'Minor version of the SEV interface.'),
  apiVersion: optional(string, 'Group and version of the object.'),
  buildID: optional(int32, 'Build of the SEV firmware.'),
  kind: optional(string, 'Kind of the object.'),
  loaderSHA: optional(string, "SHA-256 of the guest's firmware."),
  measurement: optional(string, 'The measurement, in base64.'),
  policy: optional(int32, 'The policy in force, as a number.'),
});
export interface SEVMeasurementInfo extends Infer<typeof SEVMeasurementInfo> {}

export const SEVPlatformInfo = struct('io.kubevirt.v1.SEVPlatformInfo', 'Certificates of a node with AMD SEV.', {
  apiVersion: optional(string, 'Group and version of the object.'),
  certChain: optional(string, 'The chain, in base64.'),
  kind: optional(string, 'Kind of the object.'),
  pdh: optional(string, "The node's key, in base64."),
});
export interface SEVPlatformInfo extends Infer<typeof SEVPlatformInfo> {}

export const SEVSecretOptions = struct('io.kubevirt.v1.SEVSecretOptions', 'A secret for a guest that is held.', {
  header: optional(string, 'Its header, in base64.'),
  secret: optional(string, 'The encrypted secret, in base64.'),
});
export interface SEVSecretOptions extends Infer<typeof SEVSecretOptions> {}

export const SEVSessionOptions = struct('io.kubevirt.v1.SEVSessionOptions', "The session of a guest's owner.", {
  dhCert: optional(string, 'Key of the owner, in base64.'),
  session: optional(string, 'Session data, in base64.'),
});
export interface SEVSessionOptions extends Infer<typeof SEVSessionOptions> {}
