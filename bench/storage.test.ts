import { expect, it } from 'vitest';
import { toJson } from './report.ts';
import { MEASUREMENTS, storage } from './storage/index.ts';

it('fills claims in every way that it compares', async () => {
  const plan = { rounds: 1, diskMib: 8, budgetSeconds: 0 };
  const { results } = toJson('storage', await storage(plan, Object.keys(MEASUREMENTS), () => {}));
  for (const { metric, value, baseline } of results) {
    expect(value, metric).toBeGreaterThan(0);
    if (!metric.endsWith(': until it begins')) expect(baseline, metric).toBeGreaterThan(0);
  }
  const ways = (what: string, tool: string, transfer: string): string[] => [
    `${what}, 4 of 8 MiB, vs ${tool}`,
    `${what} vs ${transfer} and ${tool}`,
    `${what}: ${transfer} alone`,
    `${what}: until it begins`,
  ];
  expect(results.map(({ metric }) => metric)).toEqual([
    ...ways('import of qcow2', 'qemu-img convert', 'bare HTTP'),
    ...ways('import of raw', 'cp --reflink=auto', 'bare HTTP'),
    'clone, 4 of 8 MiB, vs cp --reflink=auto',
    'clone: until it begins',
    ...ways('upload of qcow2', 'qemu-img convert', 'bare TLS'),
    ...ways('upload of raw', 'cp --reflink=auto', 'bare TLS'),
    'p99 of GETs during an upload',
  ]);
}, 120_000);
