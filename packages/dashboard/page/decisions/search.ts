import type { Machine } from './machine.ts';

/** One condition of a search: `state:error`, `-node:n1`, or a word. */
export interface Term {
  readonly field: 'any' | 'state' | 'label' | 'node' | 'namespace';
  readonly value: string;
  readonly isNegated: boolean;
}

const FIELDS: Readonly<Record<string, Term['field']>> = {
  state: 'state',
  label: 'label',
  node: 'node',
  namespace: 'namespace',
  ns: 'namespace',
};

/** A search as it is typed; terms that are not finished yet (`state:`) count for nothing. */
export function parseSearch(text: string): Term[] {
  return text
    .split(/\s+/)
    .map(parseTerm)
    .filter(({ value }) => value !== '');
}

function parseTerm(word: string): Term {
  const isNegated = word.startsWith('-') && word.length > 1;
  const bare = isNegated ? word.slice(1) : word;
  const [, name = '', value = ''] = /^([a-z]+):(.*)$/i.exec(bare) ?? [];
  const field = FIELDS[name.toLowerCase()];
  return field
    ? { field, value: value.toLowerCase(), isNegated }
    : { field: 'any', value: bare.toLowerCase(), isNegated };
}

/** Whether a machine is what the search is for: every term must fit. */
export const matches = (machine: Machine, terms: readonly Term[]): boolean =>
  terms.every((term) => fits(machine, term) !== term.isNegated);

function fits(machine: Machine, { field, value }: Term): boolean {
  switch (field) {
    case 'state':
      return stateWords(machine).some((word) => word.toLowerCase().startsWith(value));
    case 'node':
      return (machine.node ?? '').toLowerCase().startsWith(value);
    case 'namespace':
      return machine.namespace.toLowerCase().startsWith(value);
    case 'label':
      return labelsOf(machine).some((label) => label === value || label.startsWith(`${value}=`));
    case 'any':
      return [machine.name, machine.node ?? '', machine.guestOs ?? '', ...machine.addresses, ...labelsOf(machine)].some(
        (text) => text.toLowerCase().includes(value),
      );
  }
}

/** People look for trouble by the word "error". */
const stateWords = ({ state }: Machine): string[] => [
  state.word,
  state.label,
  state.group,
  ...(state.group === 'trouble' ? ['error'] : []),
];

const labelsOf = ({ labels }: Machine): string[] =>
  Object.entries(labels).map(([name, value]) => `${name}=${value}`.toLowerCase());
