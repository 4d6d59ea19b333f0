import {
  type BaseChain,
  type ForeignTable,
  type IptablesTool,
  isDevice,
  isInRange,
  type Match,
  type Rule,
  type Verdict,
} from './rules.ts';

const HOOKS = new Map([
  ['FORWARD', 'forward'],
  ['INPUT', 'input'],
] as const);
const VERDICTS: Readonly<Record<string, Verdict>> = {
  ACCEPT: { kind: 'accept' },
  DROP: { kind: 'drop' },
  REJECT: { kind: 'drop' },
  RETURN: { kind: 'return' },
};
/** Modules that say nothing by themselves. */
const NEUTRAL = new Set(['tcp', 'udp', 'conntrack', 'state', 'comment', 'multiport']);

/** Reads the table `filter` from what `iptables-save` or `ip6tables-save` prints. */
export function parseIptables(text: string, tool: IptablesTool): ForeignTable {
  const bases: BaseChain[] = [];
  const chains = new Map<string, Rule[]>();
  for (const line of text.split('\n')) {
    const [, chain = '', policy] = /^:(\S+) (\S+)/.exec(line) ?? [];
    if (chain) {
      chains.set(chain, []);
      const hook = HOOKS.get(chain as 'FORWARD');
      if (hook) bases.push({ name: chain, hook, isDropping: policy === 'DROP' });
    } else if (line.startsWith('-A ')) {
      const [, name = '', ...words] = wordsOf(line);
      const rule = ruleOf(words, chains);
      if (rule) chains.get(name)?.push(rule);
    }
  }
  return { tool, family: tool.startsWith('ip6') ? 'ip6' : 'ip', name: 'filter', bases, chains };
}

const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

/** Undefined for a rule that decides nothing, such as one that logs. */
function ruleOf(words: readonly string[], chains: ReadonlyMap<string, unknown>): Rule | undefined {
  const matches: Match[] = [];
  for (let at = 0; at < words.length; ) {
    const isNegated = words[at] === '!';
    if (isNegated) at++;
    const option = words[at++] ?? '';
    const value = words[at] ?? '';
    if (option === '-j' || option === '-g') {
      const verdict =
        VERDICTS[value] ?? (chains.has(value) && { kind: option === '-g' ? 'goto' : 'jump', chain: value });
      return verdict ? { matches, verdict } : undefined;
    }
    while (at < words.length && !/^(-|!$)/.test(words[at] ?? '')) at++;
    const match = matchOf(option, value);
    if (match) matches.push(isNegated ? negated(match) : match);
  }
  return undefined;
}

const negated =
  (match: Match): Match =>
  (packet) => {
    const holds = match(packet);
    return holds === undefined ? undefined : !holds;
  };

/** Undefined for an option that narrows nothing. */
function matchOf(option: string, value: string): Match | undefined {
  switch (option) {
    case '-i':
      return (packet) => isDevice(value, packet.in);
    case '-o':
      return (packet) => isDevice(value, packet.out);
    case '-s':
      return ({ source }) => isInRange(value, source);
    case '-d':
      return ({ destination }) => isInRange(value, destination);
    case '-p':
      return ({ protocol }) => value === 'all' || protocol === value;
    case '--dport':
    case '--dports':
      return ({ port }) => isPort(value, port);
    case '--ctstate':
    case '--state':
      return ({ isTranslated = false }) => {
        const states = value.split(',');
        return states.includes('NEW') || (isTranslated && states.includes('DNAT'));
      };
    // No packet of ours has a routing header.
    case '--rt-type':
      return () => false;
    case '--comment':
      return undefined;
    case '-m':
      return NEUTRAL.has(value) ? undefined : () => undefined;
    default:
      return () => undefined;
  }
}

const isPort = (text: string, port: number): boolean =>
  text.split(',').some((each) => {
    const [first, last = first] = each.split(':').map(Number);
    return first !== undefined && last !== undefined && port >= first && port <= last;
  });
