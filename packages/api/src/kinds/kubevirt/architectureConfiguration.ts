import { boolean, type Infer, list, string, struct } from '../../schema.ts';
import { nullable, optional } from '../customResource.ts';

export const ArchSpecificConfiguration = struct(
  'io.kubevirt.v1.ArchSpecificConfiguration',
  'Defaults for one architecture.',
  {
    emulatedMachines: optional(list(string, 'atomic'), 'Machine types that are allowed; * stands for anything.'),
    machineType: optional(string, 'Machine type when none is given.'),
    ovmfPath: optional(string, 'Directory of the UEFI firmware.'),
  },
);
export interface ArchSpecificConfiguration extends Infer<typeof ArchSpecificConfiguration> {}

export const ArchConfiguration = struct('io.kubevirt.v1.ArchConfiguration', 'Defaults by architecture.', {
  amd64: optional(ArchSpecificConfiguration, 'Defaults for amd64.'),
  arm64: optional(ArchSpecificConfiguration, 'Defaults for arm64.'),
  defaultArchitecture: optional(string, 'Architecture when none is given.'),
  ppc64le: optional(ArchSpecificConfiguration, 'No longer used.'),
  s390x: optional(ArchSpecificConfiguration, 'Defaults for s390x.'),
});
export interface ArchConfiguration extends Infer<typeof ArchConfiguration> {}

export const SMBiosConfiguration = struct('io.kubevirt.v1.SMBiosConfiguration', 'What guests read about their maker.', {
  family: optional(string, 'Family.'),
  manufacturer: optional(string, 'Manufacturer.'),
  product: optional(string, 'Product.'),
  sku: optional(string, 'Stock number.'),
  version: optional(string, 'Version.'),
});
export interface SMBiosConfiguration extends Infer<typeof SMBiosConfiguration> {}

export const HypervisorConfiguration = struct(
  'io.kubevirt.v1.HypervisorConfiguration',
  'The hypervisor of the cluster.',
  {
    // Not a fixed list: plug-ins bring hypervisors of their own. Admission knows which there are.
    name: optional(
      string,
      'kvm, qemu, hyperv-layered (also called hyperv-direct and mshv), stub or that of a plug-in.',
    ),
  },
);
export interface HypervisorConfiguration extends Infer<typeof HypervisorConfiguration> {}

export const TDXAttestationConfiguration = struct(
  'io.kubevirt.v1.TDXAttestationConfiguration',
  'How guests with Intel TDX prove what they are.',
  {
    enforced: optional(boolean, { default: false, doc: 'Whether only nodes that can attest run them.' }),
    qgsSocketPath: optional(string, {
      default: '/var/run/tdx-qgs/qgs.socket',
      doc: 'Socket of the service that makes quotes.',
    }),
  },
);
export interface TDXAttestationConfiguration extends Infer<typeof TDXAttestationConfiguration> {}

export const TDXConfiguration = struct('io.kubevirt.v1.TDXConfiguration', 'Settings of Intel TDX.', {
  attestation: optional(TDXAttestationConfiguration, 'How guests prove what they are.'),
});
export interface TDXConfiguration extends Infer<typeof TDXConfiguration> {}

export const ConfidentialComputeConfiguration = struct(
  'io.kubevirt.v1.ConfidentialComputeConfiguration',
  'Settings of guests that are protected from their host.',
  {
    tdx: optional(nullable(TDXConfiguration), 'Settings of Intel TDX.'),
  },
);
export interface ConfidentialComputeConfiguration extends Infer<typeof ConfidentialComputeConfiguration> {}
