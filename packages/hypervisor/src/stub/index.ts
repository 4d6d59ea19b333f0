import type { FieldError } from '@vireo/api';
import type { VirtualMachineInstanceSpec } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceSpec.ts';
import type { Hypervisor, LauncherResources } from '../contracts.ts';
import { DEVICE_PREFIX } from '../devices.ts';
import { memoryOverheadBytes } from '../overhead.ts';
import { when } from '../validation/rule.ts';

/** What keeps everything but stub VMIs away from nodes that only pretend. */
export const SIMULATED_TAINT = { key: 'vireo.dev/simulated', value: 'true', effect: 'NoSchedule' } as const;

/** There is no file: simulated nodes offer it, and no others. */
const device = { device: 'stub', path: '' };

/** VMIs without a guest: everything around them is real, and they cost next to nothing. For tests and for scale. */
export const stub: Hypervisor = {
  name: 'stub',
  runtime: {
    deviceRequests: [device],
    tolerations: [{ ...SIMULATED_TAINT, operator: 'Equal' }],
    memoryOverheadBytes,
    memlockBytes: () => undefined,
    adjustResources: withOwnDeviceOnly,
  },
  converter: { domainType: 'test', isAccelerated: false },
  admission: { validate },
  labeller: { preferredVirtType: 'test', devices: [device] },
};

/** No card and no console is behind a stub, so that it asks for none of the devices that those need. */
function withOwnDeviceOnly({ requests, limits }: LauncherResources): LauncherResources {
  const isKept = ([name]: [string, string]): boolean =>
    !name.startsWith(DEVICE_PREFIX) || name === `${DEVICE_PREFIX}${device.device}`;
  return { requests, limits: Object.fromEntries(Object.entries(limits).filter(isKept)) };
}

/** A stub has nothing that a device of the host could be given to. */
function validate({ domain }: VirtualMachineInstanceSpec, path: string): FieldError[] {
  const { gpus = [], hostDevices = [], interfaces = [] } = domain.devices ?? {};
  const refuse = (condition: boolean, field: string): FieldError[] =>
    when(
      condition,
      `${path}.domain.devices.${field}`,
      `${path}.domain.devices.${field}: a stub VMI has no guest, so it cannot use host devices`,
      'FieldValueNotSupported',
    );
  return [
    ...refuse(gpus.length > 0, 'gpus'),
    ...refuse(hostDevices.length > 0, 'hostDevices'),
    ...interfaces.flatMap(({ sriov }, index) => refuse(sriov !== undefined, `interfaces[${index}].sriov`)),
  ];
}
