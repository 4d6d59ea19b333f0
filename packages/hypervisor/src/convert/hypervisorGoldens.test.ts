import { describe, expect, it } from 'vitest';
import { ARCHITECTURES, type Architecture } from '../architecture.ts';
import { clusterConfig } from '../clusterConfig.ts';
import { applyVmiDefaults } from '../defaults/index.ts';
import { domainSchemaErrors } from '../testing/domainSchema.ts';
import { onNode } from '../testing/fixtures.ts';
import { ordinaryVmi } from '../testing/ordinaryVmi.ts';
import { convertDomain } from './convertDomain.ts';

const RUNS: Readonly<Record<string, readonly Architecture[]>> = {
  kvm: ARCHITECTURES,
  qemu: ARCHITECTURES,
  'hyperv-layered': ['amd64', 'arm64'],
  stub: ARCHITECTURES,
};
const sources = { randomUuid: () => '6a1a24a1-4061-4607-8bf4-a3963d0c5895', now: '2026-01-02T03:04:05Z' };

describe('the same VMI', () => {
  const cases = Object.entries(RUNS).flatMap(([name, all]) => all.map((architecture) => [name, architecture] as const));

  it.each(cases)('by %s on %s', async (hypervisor, architecture) => {
    const config = { ...clusterConfig(undefined), hypervisor };
    const vmi = applyVmiDefaults(ordinaryVmi(architecture), config, sources);
    const xml = convertDomain(vmi, onNode({ hypervisor, architecture }));
    await expect(xml).toMatchFileSnapshot(`./goldens/hypervisors/${hypervisor}-${architecture}.xml`);
    expect(domainSchemaErrors(xml)).toBe('');
  });
});
