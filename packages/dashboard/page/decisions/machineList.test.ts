import { describe, expect, it } from 'vitest';
import type { VmiRow, VmRow } from './machine.ts';
import { vmiRow, vmRow } from './machine.ts';
import { MachineList, resorted } from './machineList.ts';
import { parseSearch } from './search.ts';
import { parseOrder, sortMachines } from './sorting.ts';

const vm = (name: string, guest = '1Gi'): VmRow =>
  vmRow({ metadata: { name, namespace: 'a' }, spec: { template: { spec: { domain: { memory: { guest } } } } } });
const vmi = (name: string, nodeName: string): VmiRow =>
  vmiRow({ metadata: { name, namespace: 'a' }, spec: {}, status: { phase: 'Running', nodeName } });
const NO_USE = { version: 0, coresOf: () => undefined };
const BY_NAME = parseOrder('name');
const ALL = parseSearch('');

describe('a list of machines', () => {
  it('keeps those that have not changed, and only those', () => {
    const list = new MachineList();
    const [web, db, node] = [vm('web'), vm('db'), vmi('web', 'n1')];
    const before = list.show(list.pair([web, db], [node]), ALL, BY_NAME, NO_USE);
    expect(before.map(({ name }) => name)).toEqual(['db', 'web']);
    const after = list.show(list.pair([web, db], [vmi('web', 'n2')]), ALL, BY_NAME, NO_USE);
    expect(after[0]).toBe(before[0]);
    expect(after[1]).toMatchObject({ name: 'web', node: 'n2' });
    expect(list.show(list.pair([web], []), ALL, BY_NAME, NO_USE)).toMatchObject([{ name: 'web', hasInstance: false }]);
  });

  it('makes anew what changes when instances cannot be read any more', () => {
    const list = new MachineList();
    const status = { printableStatus: 'Running', created: true };
    const web = vmRow({ metadata: { name: 'web', namespace: 'a' }, spec: {}, status });
    const db = vm('db');
    const [webBefore, dbBefore] = list.pair([web, db], []);
    expect(webBefore?.hasInstance).toBe(false);
    const [webAfter, dbAfter] = list.pair([web, db], [], false);
    expect(webAfter?.hasInstance).toBe(true);
    expect(dbAfter?.hasInstance).toBeUndefined();
    expect(list.pair([web, db], [], false)).toEqual([webAfter, dbAfter]);
    expect(list.pair([web, db], [], false)[0]).toBe(webAfter);
    expect(dbBefore).not.toBe(dbAfter);
  });

  it('is the same object while nothing has changed', () => {
    const list = new MachineList();
    const rows = [vm('web'), vm('db')];
    const before = list.show(list.pair(rows, []), ALL, BY_NAME, NO_USE);
    expect(list.show(list.pair(rows, []), ALL, BY_NAME, NO_USE)).toBe(before);
  });

  it('follows another search, another order and another sample of what is used', () => {
    const list = new MachineList();
    const machines = list.pair([vm('web'), vm('db')], [vmi('web', 'n1'), vmi('db', 'n2')]);
    const names = (search: string, order: string, version = 0, busiest = 'web') =>
      list
        .show(machines, parseSearch(search), parseOrder(order), {
          version,
          coresOf: ({ name }) => (name === busiest ? 1 : 0),
        })
        .map(({ name }) => name);
    expect(names('', 'name')).toEqual(['db', 'web']);
    expect(names('', '-name')).toEqual(['web', 'db']);
    expect(names('node:n2', '-name')).toEqual(['db']);
    expect(names('', '-use', 1, 'web')).toEqual(['web', 'db']);
    expect(names('', '-use', 2, 'db')).toEqual(['db', 'web']);
  });

  it('has after many changes what sorting everything anew has', () => {
    const list = new MachineList();
    const rows = Array.from({ length: 200 }, (_, index) => vm(`vm-${index}`, `${1 + ((index * 37) % 11)}Gi`));
    const order = parseOrder('-memory');
    for (let change = 0; change < 60; change++) {
      const at = (change * 53) % rows.length;
      if (change % 3 === 0) rows.splice(at, 1);
      else if (change % 3 === 1) rows[at] = vm(rows[at]?.name ?? 'new', `${1 + (change % 13)}Gi`);
      else rows.push(vm(`more-${change}`, '3Gi'));
      const machines = list.pair(rows, []);
      const names = (all: readonly { readonly name: string }[]): string => all.map(({ name }) => name).join(' ');
      expect(names(list.show(machines, ALL, order, NO_USE))).toBe(names(sortMachines(machines, order)));
    }
  });
});

it('few changes cost few comparisons', () => {
  let compared = 0;
  const compare = (a: { n: number }, b: { n: number }): number => {
    compared += 1;
    return a.n - b.n;
  };
  const before = Array.from({ length: 5_000 }, (_, n) => ({ n }));
  const after = resorted(before, before.with(7, { n: 4_000.5 }).with(9, { n: 2.5 }), compare);
  expect(after.slice(2, 5).map(({ n }) => n)).toEqual([2, 2.5, 3]);
  expect(after).toHaveLength(5_000);
  expect(compared).toBeLessThan(30);
});
