import { parseArgs } from 'node:util';

/** What needs a host that most hosts are not, what differs with it, and one suite of guests. */
export const DEFAULT_TESTS = [
  'lab/',
  'packages/network/src/overlay.test.ts',
  'packages/node/src/limits',
  'packages/node/src/running.test.ts',
];

const DEFAULT_MINUTES = 45;

export const HELP = `Usage: npm run lab -- [--kvm] [--timeout MINUTES] [--rebuild] [PATH|VITEST OPTION]...
       npm run lab -- --shell

Boots a Debian with its stock kernel, systemd, cgroup v2 and AppArmor in an emulated machine, and runs tests of this
checkout in it. Exits with their code, or with 124 when the time is over. Nothing that they do there is kept.

Arguments go to Vitest: npm run lab -- packages/node/src/disks. The default is ${DEFAULT_TESTS.join(' ')}

Options:
  --kvm              guests of the tests run with the lab's KVM, which is emulated; otherwise they are emulated in it
  --shell            no tests: a shell in the guest on this terminal; exit powers it off
  --timeout MINUTES  power it off after this many minutes (default: ${DEFAULT_MINUTES}; with --shell, none)
  --rebuild          build the Debian again, with today's packages
  --help             print help
`;

export interface Options {
  readonly isShell: boolean;
  readonly isKvm: boolean;
  /** Undefined: as long as it takes. */
  readonly timeoutMs: number | undefined;
  readonly vitestArgs: readonly string[];
}

/** What is asked for; undefined: help; a text: what is wrong with it. */
export function parseOptions(args: readonly string[]): Options | string | undefined {
  const { values, tokens } = parseArgs({
    args: [...args],
    options: {
      kvm: { type: 'boolean', default: false },
      shell: { type: 'boolean', default: false },
      timeout: { type: 'string' },
      rebuild: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
    // What it does not know is Vitest's.
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  if (values.help) return undefined;
  const ours = new Set(tokens.filter(isOurs).flatMap(wordsOf));
  const vitestArgs = args.filter((_, index) => !ours.has(index));
  const minutes = values.timeout === undefined ? undefined : Number(values.timeout);
  if (minutes !== undefined && !(minutes > 0)) return `--timeout ${values.timeout} is not a number of minutes above 0`;
  if (values.shell && vitestArgs.length > 0) return `--shell runs no tests: leave out ${vitestArgs.join(' ')}`;
  const limit = minutes ?? (values.shell ? undefined : DEFAULT_MINUTES);
  return {
    isShell: values.shell === true,
    isKvm: values.kvm === true,
    timeoutMs: limit && limit * 60_000,
    vitestArgs: vitestArgs.some((arg) => !arg.startsWith('-')) ? vitestArgs : [...DEFAULT_TESTS, ...vitestArgs],
  };
}

interface Token {
  readonly kind: string;
  readonly index: number;
  readonly name?: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

const isOurs = ({ kind, name = '' }: Token): boolean =>
  kind === 'option' && ['kvm', 'shell', 'timeout', 'rebuild'].includes(name);

/** `--timeout 5` is two words, `--timeout=5` one. */
const wordsOf = ({ index, value, inlineValue }: Token): number[] =>
  value !== undefined && !inlineValue ? [index, index + 1] : [index];
