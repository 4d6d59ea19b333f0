import { expect, it } from 'vitest';
import { HABITS } from './actions.ts';
import { makeHome } from './ground.ts';
import { type Report, storm } from './storm.ts';
import { totals } from './summary.ts';
import { World } from './world.ts';

it('keeps every promise in a short storm: our process, libvirtd and guests die', async () => {
  await using home = await makeHome();
  const world = new World(home.path, 'real');
  const faults = ['killServer', 'killLibvirtd', 'killGuest'];
  const plan = { seed: 1, machines: 3, stepsEach: 12, blowsEach: 3, lengthMs: 4000, actions: HABITS, faults };
  const reports: Report[] = [];
  try {
    await world.open();
    const onReport = (report: Report): number => reports.push(report);
    expect(await storm(world, { plan, rounds: 2, onReport }, new AbortController().signal)).toEqual([]);
  } finally {
    await world.close();
  }
  expect(new Set(reports.flatMap(({ round }) => round.blows.map(({ fault }) => fault)))).toEqual(new Set(faults));
  expect(reports.reduce((sum, report) => sum + totals(report).acknowledged, 0)).toBeGreaterThan(5);
}, 300_000);
