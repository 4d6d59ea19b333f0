import { admission } from './admission.js';

/**
 * The node devices that VMs request. The second one is optional: it is requested only if a node offers it. /dev/null
 * takes the place of a real device, so that the sample runs on every host.
 */
const devices = [
  { device: 'sample', path: '/dev/null' },
  { device: 'sample-firmware', path: '/dev/sample-firmware', isOptional: true },
];

/** The plug-in that Vireo loads: the version of the plug-in API that it is written for, and what it registers. */
export default {
  apiVersion: 1,

  register({ registerHypervisor, register, memoryOverheadBytes, memlockBytes, el }) {
    registerHypervisor({
      name: 'sample',
      aliases: ['sample-hv'],
      // If a hypervisor needs hardware, name the one to use instead when the cluster has `useEmulation`:
      // emulator: 'qemu',

      // The most specific default for a field applies, unless the user set the field.
      defaults: {
        '*': { applyVmiSpecDefaults: () => ({ domain: { cpu: { model: 'host-passthrough' } } }) },
      },

      runtime: {
        deviceRequests: devices,
        // The common overhead plus 16 MiB for the firmware.
        memoryOverheadBytes: (vmi, config) => memoryOverheadBytes(vmi, config) + 16n * 1024n * 1024n,
        memlockBytes,
        handleHousekeeping: (domain) => ({
          ...domain,
          children: [...domain.children, el('description', {}, 'run by sample')],
        }),
      },

      converter: {
        // libvirt's domain type. The sample emulates, as `qemu` does.
        domainType: 'qemu',
        isAccelerated: false,
        // An override replaces one topic of the domain; `base` is the common implementation.
        overrides: {
          rng: (conversion, base) => [...base(conversion)],
        },
      },

      admission,

      labeller: {
        preferredVirtType: 'qemu',
        devices,
        discoverFeatures: (host) => (host.cpuVendor ? { 'sample.example.com/vendor': host.cpuVendor } : {}),
      },
    });

    // A more specific key: defaults of this hypervisor on one architecture only.
    register.defaults('sample/amd64', {
      applyVmiSpecDefaults: () => ({ terminationGracePeriodSeconds: 60 }),
    });
  },
};
