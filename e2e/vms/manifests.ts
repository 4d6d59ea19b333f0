import type { GUESTS } from './guests.ts';

/** What a test changes in a VM of a boot-sector guest. */
export interface VmOptions {
  readonly runStrategy?: string;
  /** The old form of the run strategy. */
  readonly running?: boolean;
  readonly guest?: keyof typeof GUESTS | 'boot-sector';
  readonly image?: string;
  readonly memory?: string;
  /** What it asks of its node's processors; KubeVirt's default is a tenth of one. */
  readonly cpuRequest?: string;
  readonly graceSeconds?: number;
  /** Further volumes, each with a disk of its own. */
  readonly volumes?: readonly { readonly name: string; readonly [source: string]: unknown }[];
  /** Where its root disk comes from; an image when missing. */
  readonly root?: object;
  /** More devices than disks. */
  readonly devices?: object;
  /** More of the instance's spec. */
  readonly spec?: Readonly<Record<string, unknown>>;
  /** More of the VM's own spec. */
  readonly vmSpec?: object;
}

/** A VirtualMachine as JSON, for `kubectl apply -f -`. */
export function vm(name: string, options: VmOptions = {}): string {
  const { runStrategy, running } = options;
  const runs = running === undefined ? { runStrategy: runStrategy ?? 'Always' } : { running };
  return JSON.stringify({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name },
    spec: { ...runs, template: { spec: instanceSpec(options) }, ...options.vmSpec },
  });
}

/** A VirtualMachineInstance that belongs to nobody. */
export const instance = (name: string, options: VmOptions = {}): string =>
  JSON.stringify({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name },
    spec: instanceSpec(options),
  });

function instanceSpec(options: VmOptions): object {
  const {
    guest = 'obedient',
    image = imageOf(guest),
    memory = '32Mi',
    graceSeconds = 30,
    cpuRequest,
    root = { containerDisk: { image } },
    volumes = [],
    devices,
    spec,
  } = options;
  const disks = [{ name: 'root' }, ...volumes].map(({ name }) => ({ name, disk: { bus: 'virtio' } }));
  return {
    terminationGracePeriodSeconds: graceSeconds,
    domain: {
      memory: { guest: memory },
      ...(cpuRequest && { resources: { requests: { cpu: cpuRequest } } }),
      devices: { disks, panicDevices: [{ model: 'isa' }], ...devices },
    },
    volumes: [{ name: 'root', ...root }, ...volumes],
    ...spec,
  };
}

/** A VM of the small Linux that Vireo builds, with a disk of settings for it. */
export const linux = (name: string, settings: object, options: VmOptions = {}): string =>
  vm(name, {
    image: 'vireo/guest',
    memory: '256Mi',
    volumes: [{ name: 'settings', ...settings }],
    ...options,
  });

const imageOf = (guest: string): string => (guest === 'boot-sector' ? 'vireo/boot-sector' : `test/${guest}`);
