import { describe, expect, it } from 'vitest';
import { clusterConfig } from './clusterConfig.ts';
import { memoryOverheadBytes } from './overhead.ts';
import { vmiWith } from './testing/fixtures.ts';
import { kubevirtWith } from './testing/kubevirt.ts';

const MIB = 1024 * 1024;
const overheadMib = (...of: Parameters<typeof vmiWith>): number =>
  Number(memoryOverheadBytes(vmiWith(...of), clusterConfig(undefined))) / MIB;

const requests = { resources: { requests: { memory: '128Mi' } } };

describe('memory overhead', () => {
  it.each<[string, Parameters<typeof vmiWith>, number]>([
    ['one processor, a screen, 128Mi requested', [requests], 268.25],
    ['without a screen', [{ ...requests, devices: { autoattachGraphicsDevice: false } }], 236.25],
    ['guest memory alone needs no page tables', [{ memory: { guest: '128Mi' } }], 268],
    ['eight mebibytes a processor', [{ cpu: { sockets: 2, cores: 2, threads: 2 } }], 260 + 64],
    ['processors from the limit', [{ resources: { limits: { cpu: '2500m' } } }], 260 + 24],
    ['arm64', [{}, { architecture: 'arm64' }], 268 + 128],
    ['a device of the node', [{ devices: { hostDevices: [{ name: 'd', deviceName: 'x/y' }] } }], 268 + 1024],
    ['SR-IOV', [{ devices: { interfaces: [{ name: 'vf', sriov: {} }] } }], 268 + 1024],
    ['downward metrics', [{}, { volumes: [{ name: 'm', downwardMetrics: {} }] }], 269],
    ['one exec probe', [{}, { livenessProbe: { exec: { command: ['x'] } } }], 268 + 110],
    [
      'two exec probes',
      [{}, { livenessProbe: { exec: { command: ['x'] } }, readinessProbe: { exec: { command: ['x'] } } }],
      268 + 120,
    ],
    ['SEV', [{ launchSecurity: { sev: {} } }], 268 + 256],
    ['TPM', [{ devices: { tpm: {} } }], 268 + 53],
    ['TPM that is off', [{ devices: { tpm: { enabled: false } } }], 268],
    ['dedicated processors', [{ cpu: { cores: 1, dedicatedCpuPlacement: true } }], 268 + 100],
    [
      'guaranteed resources',
      [{ resources: { requests: { cpu: '1', memory: '128Mi' }, limits: { cpu: '1000m', memory: '128Mi' } } }],
      268.25 + 100,
    ],
    ['reserved overhead without its gate', [{ memory: { reservedOverhead: { addedOverhead: '1Gi' } } }], 268],
  ])('%s', (_title, of, expected) => {
    expect(overheadMib(...of)).toBe(expected);
  });

  it('is multiplied by the ratio of the cluster, in whole thousands of bytes', () => {
    const config = clusterConfig(kubevirtWith({ additionalGuestMemoryOverheadRatio: '1.5' }));
    const kilos = Math.ceil((268 * MIB) / 1000);
    expect(memoryOverheadBytes(vmiWith(), config)).toBe(BigInt(268 * MIB + Math.trunc(kilos * 0.5) * 1000));
  });

  it('adds what a binding plug-in asks for, once and after the ratio', () => {
    const binding = { passt: { computeResourceOverhead: { requests: { memory: '500Mi' } } } };
    const config = clusterConfig(kubevirtWith({ network: { binding } }));
    const card = { binding: { name: 'passt' } };
    const vmi = vmiWith({
      devices: {
        interfaces: [
          { name: 'a', ...card },
          { name: 'b', ...card },
        ],
      },
    });
    expect(memoryOverheadBytes(vmi, config)).toBe(BigInt((268 + 500) * MIB));
  });

  it('adds reserved overhead where the gate is open', () => {
    const config = clusterConfig(
      kubevirtWith({ developerConfiguration: { featureGates: ['ReservedOverheadMemlock'] } }),
    );
    const vmi = vmiWith({ memory: { reservedOverhead: { addedOverhead: '1Gi' } } });
    expect(memoryOverheadBytes(vmi, config)).toBe(BigInt((268 + 1024) * MIB));
  });
});
