import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { clusterConfig } from '../clusterConfig.ts';
import { convertDomain } from '../convert/convertDomain.ts';
import { applyVmiDefaults } from '../defaults/index.ts';
import { hypervisorContract } from '../testing/contract.ts';
import { machine, onNode } from '../testing/fixtures.ts';
import { validateVmi } from '../validation/index.ts';
import { loadPlugins } from './load.ts';

const sample = fileURLToPath(new URL('../../../../examples/hypervisor-sample', import.meta.url));

const home = await mkdtemp(join(tmpdir(), 'vireo-sample-'));
await writeFile(join(home, 'hypervisors.json'), JSON.stringify({ plugins: [sample] }), { mode: 0o600 });
const reports = await loadPlugins(home);
await rm(home, { recursive: true });

it('the sample is loaded from its directory', () => {
  expect(reports).toEqual([{ plugin: sample, version: '1.0.0', hypervisors: ['sample'] }]);
});

hypervisorContract('sample');

const config = { ...clusterConfig(undefined), hypervisor: 'sample' };

it('its five contracts are asked', () => {
  const sources = { randomUuid: () => '6a1a24a1-4061-4607-8bf4-a3963d0c5895', now: '2026-01-02T03:04:05Z' };
  const vmi = applyVmiDefaults(machine({}, { architecture: 'amd64' }), config, sources);
  expect(vmi.metadata.labels).toEqual({ 'sample.example.com/tier': 'standard' });
  expect(vmi.spec.terminationGracePeriodSeconds).toBe(60);
  expect(vmi.spec.domain.cpu?.model).toBe('host-passthrough');
  expect(convertDomain(machine(), onNode({ hypervisor: 'sample' }))).toContain('<description>run by sample');
});

it('its rule has a case', () => {
  const open = { ...config, gates: new Set([...config.gates, 'VSOCK']) };
  expect(validateVmi(machine({ devices: { autoattachVSOCK: true } }), open)).toEqual([
    {
      type: 'FieldValueNotSupported',
      field: 'spec.domain.devices.autoattachVSOCK',
      text: 'spec.domain.devices.autoattachVSOCK: sample machines have no VSOCK',
    },
  ]);
});
