import type { ScalarTag } from 'yaml';

/**
 * Plain scalars that Kubernetes reads by YAML 1.1, and the parser by 1.2: more words for true and false, octal numbers
 * with a leading zero, and `_` between digits. Numbers in base 60 and dates are texts in both.
 */
export const yaml11Scalars: readonly ScalarTag[] = [
  {
    default: true,
    tag: 'tag:yaml.org,2002:bool',
    test: /^(?:y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF)$/,
    resolve: (text) => /^(?:y|on$)/i.test(text),
  },
  {
    default: true,
    tag: 'tag:yaml.org,2002:int',
    test: /^[-+]?(?:0[0-7_]+|0[oO][0-7_]+|0[bB][01_]+|0[xX][0-9a-fA-F_]+|0|[1-9][0-9_]*)$/,
    resolve: parseInteger,
  },
  {
    default: true,
    tag: 'tag:yaml.org,2002:float',
    test: /^[-+]?[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9_]+)?$/,
    resolve: (text) => Number(text.replaceAll('_', '')),
  },
];

function parseInteger(text: string): number {
  const [, sign = '', zero = '', digits = ''] = /^([-+]?)(0[oObBxX]?)?(.*)$/.exec(text.replaceAll('_', '')) ?? [];
  const bases: Readonly<Record<string, number>> = { '0': 8, '0o': 8, '0b': 2, '0x': 16 };
  const number = Number.parseInt(digits || '0', digits === '' ? 10 : (bases[zero.toLowerCase()] ?? 10));
  return sign === '-' ? -number : number;
}
