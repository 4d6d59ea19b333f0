import { boolean, type Infer, string, struct } from '../../schema.ts';
import { optional } from '../customResource.ts';

export const SEVAttestation = struct(
  'io.kubevirt.v1.SEVAttestation',
  'Pauses the guest at start until its owner has attested it.',
  {},
);
export interface SEVAttestation extends Infer<typeof SEVAttestation> {}

export const SEVPolicy = struct('io.kubevirt.v1.SEVPolicy', 'Policy that AMD SEV enforces for the guest.', {
  encryptedState: optional(boolean, 'Whether CPU registers are encrypted too (SEV-ES).'),
});
export interface SEVPolicy extends Infer<typeof SEVPolicy> {}

export const SEV = struct('io.kubevirt.v1.SEV', "Encrypts the guest's memory with AMD SEV.", {
  attestation: optional(SEVAttestation, 'Pause the guest at start until its owner has attested it.'),
  dhCert: optional(string, "Key of the guest's owner, in base64."),
  policy: optional(SEVPolicy, 'Policy that AMD SEV enforces for the guest.'),
  session: optional(string, "Session data of the guest's owner, in base64."),
});
export interface SEV extends Infer<typeof SEV> {}

export const SEVSNP = struct(
  'io.kubevirt.v1.SEVSNP',
  "Encrypts the guest's memory and protects its integrity with AMD SEV-SNP.",
  {},
);
export interface SEVSNP extends Infer<typeof SEVSNP> {}

export const TDX = struct('io.kubevirt.v1.TDX', 'Runs the guest as a trust domain of Intel TDX.', {});
export interface TDX extends Infer<typeof TDX> {}

export const LaunchSecurity = struct(
  'io.kubevirt.v1.LaunchSecurity',
  'Confidential computing technology that protects the guest. Set exactly one field.',
  {
    sev: optional(SEV, "Encrypt the guest's memory with AMD SEV."),
    snp: optional(SEVSNP, "Encrypt the guest's memory and protect its integrity with AMD SEV-SNP."),
    tdx: optional(TDX, 'Run the guest as a trust domain of Intel TDX.'),
  },
);
export interface LaunchSecurity extends Infer<typeof LaunchSecurity> {}
