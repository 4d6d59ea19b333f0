import type { Machine } from './machine.ts';

export const COLUMNS = ['state', 'name', 'use', 'cpu', 'memory', 'address', 'node', 'age'] as const;
export type Column = (typeof COLUMNS)[number];

/** The order of a list: a column, and whether the largest comes first. */
export interface Order {
  readonly column: Column;
  readonly isDescending: boolean;
}

export const DEFAULT_ORDER: Order = { column: 'name', isDescending: false };

/** `-age` is an order as an address has it. */
export function parseOrder(text: string | null): Order {
  const isDescending = text?.startsWith('-') ?? false;
  const column = COLUMNS.find((each) => each === (isDescending ? text?.slice(1) : text));
  return column ? { column, isDescending } : DEFAULT_ORDER;
}

export const orderText = ({ column, isDescending }: Order): string => `${isDescending ? '-' : ''}${column}`;

/** web-2 comes before web-10. */
const collator = new Intl.Collator('en', { numeric: true });

type Compare = (a: Machine, b: Machine) => number;
const texts =
  (value: (machine: Machine) => string | undefined): Compare =>
  (a, b) =>
    collator.compare(value(a) ?? '\uffff', value(b) ?? '\uffff');
const numbers =
  (value: (machine: Machine) => number | undefined): Compare =>
  (a, b) =>
    (value(a) ?? 0) - (value(b) ?? 0);

const COMPARE: Readonly<Record<Exclude<Column, 'use'>, Compare>> = {
  state: texts(({ state }) => state.label),
  name: texts(({ name }) => name),
  cpu: numbers(({ cpus }) => cpus),
  memory: numbers(({ memoryBytes }) => memoryBytes),
  address: texts(({ addresses }) => addresses[0]),
  node: texts(({ node }) => node),
  // The youngest has the least age.
  age: numbers(({ createdAt }) => -Date.parse(createdAt ?? '') || 0),
};

/**
 * By a column; equal ones by name and namespace, so that rows do not jump. `coresOf` is what a machine uses, which is no
 * part of it.
 */
export function compareMachines(
  { column, isDescending }: Order,
  coresOf: (machine: Machine) => number | undefined = () => undefined,
): Compare {
  // What is not measured uses less than what rests.
  const compare = column === 'use' ? numbers((machine) => coresOf(machine) ?? -1) : COMPARE[column];
  const sign = isDescending ? -1 : 1;
  return (a, b) =>
    sign * compare(a, b) || collator.compare(a.name, b.name) || collator.compare(a.namespace, b.namespace);
}

/** All of them in an order. */
export const sortMachines = (machines: readonly Machine[], order: Order): Machine[] =>
  [...machines].sort(compareMachines(order));
