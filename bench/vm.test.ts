import { expect, it } from 'vitest';
import { toJson } from './report.ts';
import { MEASUREMENTS, vm } from './vm/index.ts';
import type { Plan } from './vm/plan.ts';

/** Just enough that every measurement does all of its steps. */
const TINY: Plan = {
  rounds: 1,
  batches: [
    { atOnce: 1, vms: 1 },
    { atOnce: 2, vms: 3 },
  ],
  running: 2,
  budgetSeconds: 0,
};

it('runs guests in every way that it compares', async () => {
  const { results } = toJson('vm', await vm(TINY, Object.keys(MEASUREMENTS), () => {}));
  const starts = results.filter(({ metric }) => metric.includes(' vs '));
  for (const { metric, value, baseline } of starts) {
    expect(value, metric).toBeGreaterThan(0);
    expect(baseline, metric).toBeGreaterThan(0);
  }
  expect(results.map(({ metric, unit }) => `${metric}: ${unit}`)).toMatchInlineSnapshot(`
    [
      "resident memory per running VM, 2 running: MB",
      "heap in use per running VM, 2 running: MB",
      "file descriptors per running VM, 2 running: descriptors",
      "virsh create to first byte, 1 at a time, vs raw QEMU: ms",
      "VM to Running, 1 at a time, vs virsh create: ms",
      "VMI to Running, 1 at a time, vs virsh create: ms",
      "VM to first byte, 1 at a time, vs virsh create: ms",
      "VMI to first byte, 1 at a time, vs virsh create: ms",
      "VM to first byte, 1 at a time, vs raw QEMU: ms",
      "VMs per minute, 1 at a time, vs virsh create: per minute",
      "VMIs per minute, 1 at a time, vs virsh create: per minute",
      "virsh create to first byte, 2 at a time, vs raw QEMU: ms",
      "VM to Running, 2 at a time, vs virsh create: ms",
      "VMI to Running, 2 at a time, vs virsh create: ms",
      "VM to first byte, 2 at a time, vs virsh create: ms",
      "VMI to first byte, 2 at a time, vs virsh create: ms",
      "VM to first byte, 2 at a time, vs raw QEMU: ms",
      "VMs per minute, 2 at a time, vs virsh create: per minute",
      "VMIs per minute, 2 at a time, vs virsh create: per minute",
    ]
  `);
}, 120_000);
