import { hasInstanceOf, instanceAlone, type Machine, machineOf, type VmiRow, type VmRow } from './machine.ts';
import { matches, type Term } from './search.ts';
import { compareMachines, type Order } from './sorting.ts';

interface Pair {
  readonly vm: VmRow | undefined;
  readonly vmi: VmiRow | undefined;
  readonly machine: Machine;
}

/** Above this share of new machines, all are sorted again. */
const MANY = 0.05;

/**
 * The list of machines from change to change. Thousands are paired, searched and sorted once; after that, the work is that
 * of those that have changed, and the others stay the same objects, so that their rows are not drawn again.
 */
export class MachineList {
  #pairs = new Map<string, Pair>();
  #terms: readonly Term[] = [];
  #fits = new WeakMap<Machine, boolean>();
  #sortedBy = '';
  #sorted: readonly Machine[] = [];

  /** Pairs VMs with their instances, in no particular order. */
  pair(vms: readonly VmRow[], vmis: readonly VmiRow[], areInstancesKnown = true): Machine[] {
    const pairs = new Map<string, Pair>();
    const alone = new Map(vmis.map((vmi) => [vmi.key, vmi]));
    for (const vm of vms) {
      const vmi = alone.get(vm.key);
      alone.delete(vm.key);
      const hasInstance = hasInstanceOf(vm, vmi, areInstancesKnown);
      const known = this.#known(vm.key, vm, vmi, hasInstance);
      pairs.set(vm.key, known ?? { vm, vmi, machine: machineOf(vm, vmi, areInstancesKnown) });
    }
    for (const [key, vmi] of alone)
      pairs.set(key, this.#known(key, undefined, vmi, true) ?? { vm: undefined, vmi, machine: instanceAlone(vmi) });
    this.#pairs = pairs;
    return [...pairs.values()].map(({ machine }) => machine);
  }

  #known(key: string, vm: VmRow | undefined, vmi: VmiRow | undefined, hasInstance?: boolean): Pair | undefined {
    const known = this.#pairs.get(key);
    const isSame = known?.vm === vm && known?.vmi === vmi && known?.machine.hasInstance === hasInstance;
    return isSame ? known : undefined;
  }

  /** Those that a search is for, in order. `use` is what machines use, and which sample of it this is. */
  show(
    machines: readonly Machine[],
    terms: readonly Term[],
    order: Order,
    use: { readonly version: number; readonly coresOf: (machine: Machine) => number | undefined },
  ): readonly Machine[] {
    if (terms !== this.#terms) this.#fits = new WeakMap();
    this.#terms = terms;
    const shown = machines.filter((machine) => this.#isMeant(machine));
    const compare = compareMachines(order, use.coresOf);
    const sortedBy = `${order.column} ${order.isDescending} ${use.version}`;
    this.#sorted = sortedBy === this.#sortedBy ? resorted(this.#sorted, shown, compare) : shown.sort(compare);
    this.#sortedBy = sortedBy;
    return this.#sorted;
  }

  #isMeant(machine: Machine): boolean {
    const known = this.#fits.get(machine);
    if (known !== undefined) return known;
    const fits = matches(machine, this.#terms);
    this.#fits.set(machine, fits);
    return fits;
  }
}

/** What was sorted before, without those that are gone, and with the new ones at their places. */
export function resorted<T>(before: readonly T[], now: readonly T[], compare: (a: T, b: T) => number): readonly T[] {
  const old = new Set(before);
  const added = now.filter((each) => !old.has(each));
  if (added.length === 0 && now.length === before.length) return before;
  if (added.length > now.length * MANY) return [...now].sort(compare);
  const left = new Set(now);
  const merged = before.filter((each) => left.has(each));
  for (const each of added) merged.splice(placeOf(merged, each, compare), 0, each);
  return merged;
}

function placeOf<T>(sorted: readonly T[], one: T, compare: (a: T, b: T) => number): number {
  let from = 0;
  let to = sorted.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (compare(sorted[middle] as T, one) <= 0) from = middle + 1;
    else to = middle;
  }
  return from;
}
