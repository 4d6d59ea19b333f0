import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { clusterConfig } from '../clusterConfig.ts';
import { convertDomain } from '../convert/convertDomain.ts';
import { applyVmiDefaults } from '../defaults/index.ts';
import { hypervisorContract } from '../testing/contract.ts';
import { onNode, vmiWith } from '../testing/fixtures.ts';
import { loadForTest } from '../testing/plugin.ts';
import { validateVmi } from '../validation/index.ts';

const sample = fileURLToPath(new URL('../../../../examples/hypervisor-sample', import.meta.url));

const report = await loadForTest(sample);

it('the sample is loaded from its directory', () => {
  expect(report).toEqual({ plugin: sample, version: '1.0.0', hypervisors: ['sample'] });
});

it('the test of the docs loads the package before it asks it anything', async () => {
  const page = await readFile(new URL('../../../../docs/hypervisors.md', import.meta.url), 'utf8');
  const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(page.slice(page.indexOf('**8.'))) ?? [];
  const order = ['await loadForTest(', 'hypervisorContract('].map((call) => code.lastIndexOf(call));
  expect(order[0]).toBeGreaterThan(0);
  expect(order[1]).toBeGreaterThan(order[0] ?? 0);
});

it('a package that is not there fails the test', async () => {
  await expect(loadForTest('/nowhere')).rejects.toThrow('/nowhere: /nowhere/package.json does not exist');
});

hypervisorContract('sample');

const config = { ...clusterConfig(undefined), hypervisor: 'sample' };

it('its five contracts are asked', () => {
  const sources = { randomUuid: () => '6a1a24a1-4061-4607-8bf4-a3963d0c5895', now: '2026-01-02T03:04:05Z' };
  const vmi = applyVmiDefaults(vmiWith({}, { architecture: 'amd64' }), config, sources);
  expect(vmi.metadata.labels).toEqual({ 'sample.example.com/tier': 'standard' });
  expect(vmi.spec.terminationGracePeriodSeconds).toBe(60);
  expect(vmi.spec.domain.cpu?.model).toBe('host-passthrough');
  expect(convertDomain(vmiWith(), onNode({ hypervisor: 'sample' }))).toContain('<description>run by sample');
});

it('its rule has a case', () => {
  const open = { ...config, gates: new Set([...config.gates, 'VSOCK']) };
  expect(validateVmi(vmiWith({ devices: { autoattachVSOCK: true } }), open)).toEqual([
    {
      type: 'FieldValueNotSupported',
      field: 'spec.domain.devices.autoattachVSOCK',
      text: 'spec.domain.devices.autoattachVSOCK: sample VMIs have no VSOCK',
    },
  ]);
});
