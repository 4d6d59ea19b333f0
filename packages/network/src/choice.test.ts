import { expect, it } from 'vitest';
import { choiceChains, countedRule, countSets, type Way } from './choice.ts';

const COUNTS = Array.from({ length: 16 }, (_, index) => index + 1);

/** The rules of all chains, by name. */
function chainsOf(text: string): Map<string, string[]> {
  const chains = new Map<string, string[]>();
  for (const [, name = '', body = ''] of text.matchAll(/chain (\S+) \{\n(.*?)\n {2}\}/gs))
    chains.set(
      name,
      body.split('\n').map((rule) => rule.trim()),
    );
  return chains;
}

/** The rule at which a connection ends that is made to what is in these sets. */
function follow(chains: ReadonlyMap<string, readonly string[]>, first: string, sets: readonly string[]): string {
  let rules: readonly string[] = [first];
  for (;;) {
    const taken = rules.find((rule) => {
      const [, set] = /@(\S+) goto/.exec(rule) ?? [];
      return set === undefined || sets.includes(set);
    });
    const [, next] = / ?goto (\S+)$/.exec(taken ?? '') ?? [];
    if (next === undefined) return taken ?? 'nowhere';
    rules = chains.get(next) ?? [];
  }
}

for (const family of ['IPv4', 'IPv6'] as const)
  for (const way of ['internal', 'external', 'nodePort'] satisfies Way[])
    it(`sets lead connections of ${family} (${way}) to a choice among as many endpoints as there are`, () => {
      const chains = chainsOf(choiceChains(family));
      const ends = COUNTS.map((count) => follow(chains, countedRule(family, way), countSets(family, way, count) ?? []));
      expect(ends).toEqual(COUNTS.map((count) => expect.stringContaining(`numgen random mod ${count} map @`)));
      expect(follow(chains, countedRule(family, way), [])).toBe('nowhere');
    });

it('sets tell nothing of too many endpoints', () => {
  expect(countSets('IPv4', 'internal', 17)).toBeUndefined();
});

it('one endpoint more changes few sets', () => {
  const changed = COUNTS.slice(1).map((count) => {
    const [before = [], after = []] = [count - 1, count].map((each) => countSets('IPv4', 'internal', each));
    return [...before, ...after].filter((set) => !(before.includes(set) && after.includes(set))).length;
  });
  expect(Math.max(...changed)).toBe(4);
});
