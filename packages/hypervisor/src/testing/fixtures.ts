import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { VirtualMachineInstanceSpec } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceSpec.ts';
import type { ConverterContext } from '../convert/context.ts';

export const UID = '11111111-2222-4333-8444-555555555555';

type Domain = Partial<VirtualMachineInstanceSpec['domain']>;

/** A small VMI; `domain` says what is special about it. */
export const vmiWith = (
  domain: Domain = {},
  spec: Partial<Omit<VirtualMachineInstanceSpec, 'domain'>> = {},
): VirtualMachineInstance => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstance',
  metadata: { namespace: 'default', name: 'testvmi', uid: UID },
  spec: { ...spec, domain: { memory: { guest: '128Mi' }, ...domain, devices: domain.devices ?? {} } },
});

/** A node on which everything is in place for the volumes and networks of the tests. */
export const onNode = (overrides: Partial<ConverterContext> = {}): ConverterContext => ({
  hypervisor: 'kvm',
  architecture: 'amd64',
  useEmulation: false,
  domainUuid: UID,
  volumes: {
    root: { kind: 'file', path: '/disks/root.qcow2', format: 'qcow2', directIo: true },
    data: { kind: 'block', path: '/dev/vg/data', format: 'raw', directIo: true },
    shared: { kind: 'file', path: '/disks/shared.img', format: 'raw', directIo: true },
    cloudinit: { kind: 'file', path: '/disks/cloudinit.iso', format: 'raw', directIo: false, readOnly: true },
  },
  interfaces: {
    default: { kind: 'user', mac: '52:54:00:00:00:01' },
    passt: {
      kind: 'passt',
      logFile: '/run/passt.log',
      forwards: [{ protocol: 'tcp', ranges: [{ start: 2222, to: 22 }] }],
    },
    blue: { kind: 'tap', device: 'tap0', mtu: 1450 },
    vf: { kind: 'vfio', pciAddress: '0000:03:10.1' },
    red: { kind: 'bridge', bridge: 'br-red', mtu: 9000 },
  },
  paths: {
    serialSocket: '/run/vireo/1/serial0',
    serialLog: '/run/vireo/1/serial0.log',
    vncSocket: '/run/vireo/1/vnc',
    agentSocket: '/run/vireo/1/agent',
    metricsSocket: '/run/vireo/1/metrics',
  },
  ...overrides,
});

export const emulated = (overrides: Partial<ConverterContext> = {}): ConverterContext =>
  onNode({ useEmulation: true, ...overrides });
