import { boolean, type Infer, list, string, struct } from '../../schema.ts';
import { nullable, optional } from '../customResource.ts';

export const ArchSpecificConfiguration = struct(
  'io.kubevirt.v1.ArchSpecificConfiguration',
  'Defaults for guests of one architecture.',
  {
    emulatedMachines: optional(list(string, 'atomic'), 'Machine types that are allowed; * stands for anything.'),
    machineType: optional(string, 'Machine type when none is given.'),
    ovmfPath: optional(string, 'Directory of the UEFI firmware (OVMF).'),
  },
);
export interface ArchSpecificConfiguration extends Infer<typeof ArchSpecificConfiguration> {}

export const ArchConfiguration = struct('io.kubevirt.v1.ArchConfiguration', 'Defaults for each architecture.', {
  amd64: optional(ArchSpecificConfiguration, 'Defaults for guests on amd64.'),
  arm64: optional(ArchSpecificConfiguration, 'Defaults for guests on arm64.'),
  defaultArchitecture: optional(string, 'Architecture of guests that set none.'),
  ppc64le: optional(ArchSpecificConfiguration, 'No longer supported and ignored.'),
  s390x: optional(ArchSpecificConfiguration, 'Defaults for guests on s390x.'),
});
export interface ArchConfiguration extends Infer<typeof ArchConfiguration> {}

export const SMBiosConfiguration = struct('io.kubevirt.v1.SMBiosConfiguration', 'SMBIOS values that guests read.', {
  family: optional(string, 'SMBIOS family of the system.'),
  manufacturer: optional(string, 'SMBIOS manufacturer of the system.'),
  product: optional(string, 'SMBIOS product name of the system.'),
  sku: optional(string, 'SMBIOS stock-keeping unit (SKU) of the system.'),
  version: optional(string, 'SMBIOS version of the system.'),
});
export interface SMBiosConfiguration extends Infer<typeof SMBiosConfiguration> {}

export const HypervisorConfiguration = struct(
  'io.kubevirt.v1.HypervisorConfiguration',
  'The hypervisor that runs guests.',
  {
    // Not a fixed list: plug-ins bring hypervisors of their own. Admission knows which there are.
    name: optional(
      string,
      'Name of the hypervisor: kvm, qemu, hyperv-layered (also called hyperv-direct and mshv), stub or that of a plug-in.',
    ),
  },
);
export interface HypervisorConfiguration extends Infer<typeof HypervisorConfiguration> {}

export const TDXAttestationConfiguration = struct(
  'io.kubevirt.v1.TDXAttestationConfiguration',
  'Attestation of guests with Intel TDX.',
  {
    enforced: optional(boolean, { default: false, doc: 'Whether only nodes that can attest run them.' }),
    qgsSocketPath: optional(string, {
      default: '/var/run/tdx-qgs/qgs.socket',
      doc: 'Socket of the service that makes quotes.',
    }),
  },
);
export interface TDXAttestationConfiguration extends Infer<typeof TDXAttestationConfiguration> {}

export const TDXConfiguration = struct('io.kubevirt.v1.TDXConfiguration', 'Settings for guests with Intel TDX.', {
  attestation: optional(TDXAttestationConfiguration, 'How guests are attested.'),
});
export interface TDXConfiguration extends Infer<typeof TDXConfiguration> {}

export const ConfidentialComputeConfiguration = struct(
  'io.kubevirt.v1.ConfidentialComputeConfiguration',
  'Settings for confidential computing.',
  {
    tdx: optional(nullable(TDXConfiguration), 'Settings for guests with Intel TDX.'),
  },
);
export interface ConfidentialComputeConfiguration extends Infer<typeof ConfidentialComputeConfiguration> {}
