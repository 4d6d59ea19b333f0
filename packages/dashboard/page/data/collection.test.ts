import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type MachineWithVolumes, machineVolumes } from '../decisions/images/users.ts';
import { vmiRow } from '../decisions/machine.ts';
import { Collection, type Snapshot } from './collection.ts';
import type { Vmi } from './kinds.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const vmi = (name: string, version: number, nodeName: string): Vmi & MachineWithVolumes => ({
  metadata: { name, namespace: 'shop', resourceVersion: String(version) },
  spec: { volumes: [{ name: 'root', dataVolume: { name: `${name}-root` } }] },
  status: { phase: 'Running', nodeName },
});

/** A collection of two instances, and the snapshots that its views were told of after that. */
function followed<Row>(project: (object: Vmi & MachineWithVolumes) => Row) {
  const collection = new Collection(project);
  for (const name of ['web', 'db']) collection.put(vmi(name, 1, 'node-1'));
  collection.state({ kind: 'live' });
  vi.runAllTimers();
  const before = collection.snapshot();
  const told: Snapshot<Row>[] = [];
  collection.subscribe(() => told.push(collection.snapshot()));
  return { collection, before, told };
}

it('an update that changes no row is not told', () => {
  const { collection, before, told } = followed(vmiRow);
  for (let version = 2; version < 100; version++) collection.put(vmi('web', version, 'node-1'));
  collection.remove('shop/other');
  collection.keepOnly(new Set(['shop/web', 'shop/db']));
  vi.runAllTimers();
  expect(told).toEqual([]);
  expect(collection.snapshot()).toBe(before);
});

it('one row that changes is told once, and the others stay the same objects', () => {
  const { collection, before, told } = followed(vmiRow);
  for (let version = 2; version < 100; version++) collection.put(vmi('web', version, 'node-2'));
  vi.runAllTimers();
  expect(told).toHaveLength(1);
  expect(told[0]?.rows[0]).toMatchObject({ name: 'web', node: 'node-2' });
  expect(told[0]?.rows[1]).toBe(before.rows[1]);
});

it('guests that move change no list of volumes', () => {
  const { collection, told } = followed(machineVolumes);
  collection.put(vmi('web', 2, 'node-2'));
  vi.runAllTimers();
  expect(told).toEqual([]);
});

it('another state leaves the rows as they are', () => {
  const { collection, before, told } = followed(vmiRow);
  collection.state({ kind: 'refused', code: 403, reason: 'no' });
  vi.runAllTimers();
  expect(told).toHaveLength(1);
  expect(told[0]?.rows).toBe(before.rows);
});

it('rows that are gone are told', () => {
  const { collection, told } = followed(vmiRow);
  collection.keepOnly(new Set(['shop/db']));
  vi.runAllTimers();
  expect(told.map(({ rows }) => rows.map(({ name }) => name))).toEqual([['db']]);
});

it('a long list is shown at its first page and at its end, and seldom between', () => {
  const collection = new Collection(vmiRow);
  const told: number[] = [];
  collection.subscribe(() => told.push(collection.snapshot().rows.length));
  collection.state({ kind: 'loading' });
  for (let page = 0; page < 10; page++) {
    for (let row = 0; row < 500; row++) collection.put(vmi(`vm-${page}-${row}`, 1, 'node-1'));
    vi.advanceTimersByTime(120);
  }
  collection.state({ kind: 'live' });
  vi.advanceTimersByTime(100);
  expect(told).toEqual([500, 3_000, 5_000]);
});
