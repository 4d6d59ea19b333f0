import { admission } from './admission.js';

/** Devices of the node that every machine needs; the second one only where some node has it. */
const devices = [
  { device: 'sample', path: '/dev/sample' },
  { device: 'sample-firmware', path: '/dev/sample-firmware', isOptional: true },
];

/** What Vireo loads: the version of the API that this is written for, and what it adds. */
export default {
  apiVersion: 1,

  register({ registerHypervisor, register, memoryOverheadBytes, memlockBytes, el }) {
    registerHypervisor({
      name: 'sample',
      aliases: ['sample-hv'],
      // Where the cluster emulates (useEmulation), QEMU runs the guests.
      emulator: 'qemu',

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
        domainType: 'test',
        isAccelerated: true,
        // Each part of the domain can be made in another way; `base` makes it as everyone does.
        overrides: {
          features: (conversion, base) =>
            base({ ...conversion, hypervisor: { ...conversion.hypervisor, isAccelerated: false } }),
        },
      },

      admission,

      labeller: {
        preferredVirtType: 'test',
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
