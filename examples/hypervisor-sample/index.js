import { admission } from './admission.js';

/**
 * Devices of the node that every VM needs; the second one only where some node has it. /dev/null stands for the
 * device of a real hypervisor, so that this one runs on every host.
 */
const devices = [
  { device: 'sample', path: '/dev/null' },
  { device: 'sample-firmware', path: '/dev/sample-firmware', isOptional: true },
];

/** What Vireo loads: the version of the API that this is written for, and what it adds. */
export default {
  apiVersion: 1,

  register({ registerHypervisor, register, memoryOverheadBytes, memlockBytes, el }) {
    registerHypervisor({
      name: 'sample',
      aliases: ['sample-hv'],
      // A hypervisor that needs hardware names one that stands in for it where the cluster has `useEmulation`:
      // emulator: 'qemu',

      // Proposals: the most specific one wins, and what the user wrote wins over all.
      defaults: {
        '*': { applyVmiSpecDefaults: () => ({ domain: { cpu: { model: 'host-passthrough' } } }) },
      },

      runtime: {
        deviceRequests: devices,
        // Everyone's sum, and 16 MiB for the firmware.
        memoryOverheadBytes: (vmi, config) => memoryOverheadBytes(vmi, config) + 16n * 1024n * 1024n,
        memlockBytes,
        handleHousekeeping: (domain) => ({
          ...domain,
          children: [...domain.children, el('description', {}, 'run by sample')],
        }),
      },

      converter: {
        // libvirt's word. This one emulates, as `qemu` does.
        domainType: 'qemu',
        isAccelerated: false,
        // Each part of the domain can be made in another way; `base` makes it as everyone does.
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

    // A finer key: defaults of this hypervisor on one architecture alone.
    register.defaults('sample/amd64', {
      applyVmiSpecDefaults: () => ({ terminationGracePeriodSeconds: 60 }),
    });
  },
};
