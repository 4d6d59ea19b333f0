import { describe, expect, it } from 'vitest';
import { MIGRATION_FAULTS } from './faults.ts';
import { beyondOne } from './places.ts';
import { planRounds } from './plan.ts';
import { hear, type Testimony, twice } from './witness.ts';

const silent = (): Testimony => ({ numbers: new Map(), highest: -1 });

describe('what a guest prints', () => {
  it('may continue on another node', () => {
    const guest = silent();
    expect(hear(guest, 'a', '00000000\n00000001\n')).toEqual([]);
    expect(hear(guest, 'b', '02\n00000003\n0000000a\n')).toEqual([]);
    expect(guest.highest).toBe(10);
  });

  it('tells that it counts on two nodes', () => {
    const guest = silent();
    hear(guest, 'a', '00000000\n00000001\n');
    expect(hear(guest, 'b', '00000001\n')).toEqual(['the guest has counted twice, on a and on b']);
  });

  it('tells that it has begun anew', () => {
    const guest = silent();
    hear(guest, 'a', '00000000\n');
    expect(hear(guest, 'a', '00000000\n')).toEqual(['the guest has counted twice, on a and on a']);
  });

  it('tells of a damaged disk', () => {
    expect(hear(silent(), 'a', '00000000\nBAD\n')).toEqual([
      'on a, a sector of the disk is not as the guest has written it',
    ]);
  });
});

it.each<[string, string[], string[] | undefined, string[]]>([
  ['one guest', ['vmi'], [], []],
  ['two guests of two VMIs', ['vmi'], ['another'], []],
  ['a daemon that does not answer', ['vmi'], undefined, []],
  ['two guests of one VMI', ['vmi'], ['vmi'], ['vmi executes on a and on b']],
])('%s', (_, onA, onB, problems) => {
  const before = new Map([['a', new Set(onA)]]);
  const between = new Map([
    ['a', new Set(onA)],
    ['b', onB && new Set(onB)],
  ] as const);
  expect(twice(before, between)).toEqual(problems);
});

it('a seed decides the rounds, and every fault comes once before one comes again', () => {
  const faults = Object.keys(MIGRATION_FAULTS);
  const rounds = planRounds(7, faults.length, faults);
  expect(planRounds(7, faults.length, faults)).toEqual(rounds);
  expect(rounds.map(({ fault }) => fault).toSorted()).toEqual(faults.toSorted());
  expect(planRounds(8, faults.length, faults)).not.toEqual(rounds);
});

it('what is on a node beside its one guest is named', () => {
  const own = ['guests: 11', 'files: a', 'sockets: a', 'definitions: ns_vm.xml', 'tap: vt1', 'nftables: vt1'];
  expect(beyondOne(own, 'a')).toEqual([]);
  expect(beyondOne([...own, 'guests: 12', 'files: b', 'tap: vt2'], 'a')).toEqual([
    'guests: 12',
    'files: b',
    'tap: vt2',
  ]);
});
