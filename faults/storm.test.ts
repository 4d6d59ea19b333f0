import { expect, it } from 'vitest';
import { HABITS } from './actions.ts';
import { makeHome } from './ground.ts';
import { type Report, storm } from './storm.ts';
import { totals } from './summary.ts';
import { TestBed } from './testBed.ts';

const isRoot = process.getuid?.() === 0;

it('keeps every promise in a short storm: our process, libvirtd and a guest die, connections and rules break', async () => {
  await using home = await makeHome();
  const testBed = new TestBed(home.path, 'real');
  // Without root, guests have no network that could break.
  const network = isRoot ? ['loseRules'] : [];
  const faults = ['killServer', 'killLibvirtd', 'killGuest', 'cutConnections', ...network];
  // With this seed everybody does everything, and all faults happen, in a single round.
  const faultsEach = faults.length;
  const plan = { seed: 1280, vms: 3, stepsEach: 30, faultsEach, lengthMs: 6000, actions: HABITS, faults };
  const reports: Report[] = [];
  try {
    await testBed.open();
    const onReport = (report: Report): number => reports.push(report);
    expect(await storm(testBed, { plan, rounds: 1, onReport }, new AbortController().signal)).toEqual([]);
  } finally {
    await testBed.close();
  }
  expect(new Set(reports.flatMap(({ round }) => round.injections.map(({ fault }) => fault)))).toEqual(new Set(faults));
  expect(new Set(reports.flatMap(({ outcomes }) => Object.keys(outcomes)))).toEqual(new Set(HABITS));
  expect(reports.reduce((sum, report) => sum + totals(report).acknowledged, 0)).toBeGreaterThan(5);
}, 300_000);
