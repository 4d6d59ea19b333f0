import { expect, it } from 'vitest';
import type { Element } from './fragment.ts';
import { Ruleset } from './ruleset.ts';

const at = (key: string): Element => ({ family: 'inet', set: 'policy/a', key });

/** A ruleset with what it tells nft; nft fails once for each text that it is to fail for. */
function ruleset(): { rules: Ruleset; told: string[]; failures: string[] } {
  const told: string[] = [];
  const failures: string[] = [];
  const nft = async (script: string): Promise<void> => {
    told.push(script);
    if (failures.some((text) => script.includes(text))) throw new Error(`nft fails for ${failures.splice(0)}`);
  };
  return { rules: new Ruleset({ table: 'vireo0', skeleton: 'skeleton\n', nft }), told, failures };
}

it('some elements of an owner change without the others', async () => {
  const { rules, told } = ruleset();
  const sets = { 'policy/a': 'type ipv4_addr;' };
  rules.put('policy/a', { sets, elements: ['10.0.0.1', '10.0.0.2'].map(at) });
  await rules.apply();
  rules.change('policy/a', { added: [at('10.0.0.3')], removed: [at('10.0.0.1')] });
  await rules.apply();
  expect(told[1]).toBe(
    'delete element inet vireo0 policy/a { 10.0.0.1 }\nadd element inet vireo0 policy/a { 10.0.0.3 }\n',
  );
  // What was put for all of them is compared with what they have become.
  rules.put('policy/a', { sets, elements: ['10.0.0.2', '10.0.0.3'].map(at) });
  await rules.apply();
  expect(told).toHaveLength(2);
  rules.drop('policy/a');
  await rules.apply();
  expect(told[2]).toBe('delete element inet vireo0 policy/a { 10.0.0.2, 10.0.0.3 }\ndelete set inet vireo0 policy/a\n');
});

it('what has changed is loaded with everything else where the kernel is not as it was', async () => {
  const { rules, told, failures } = ruleset();
  rules.put('policy/a', { sets: { 'policy/a': 'type ipv4_addr;' }, elements: [at('10.0.0.1')] });
  await rules.apply();
  failures.push('10.0.0.2');
  rules.change('policy/a', { added: [at('10.0.0.2')], removed: [at('10.0.0.1')] });
  await rules.apply();
  expect(told.at(-1)).toBe(
    'skeleton\nadd set inet vireo0 policy/a { type ipv4_addr; }\nadd element inet vireo0 policy/a { 10.0.0.2 }\n',
  );
});

it('elements that belong together are of one owner, the one that came first', async () => {
  const { rules, told } = ruleset();
  const of = (...keys: string[]) => ({ groups: { shared: keys.map(at) } });
  rules.put('service/old', of('1', '2'));
  rules.put('service/new', of('1', '3'));
  await rules.apply();
  expect(told[0]).toBe('skeleton\nadd element inet vireo0 policy/a { 1, 2 }\n');
  rules.put('service/new', of('4'));
  await rules.apply();
  rules.put('service/old', of('1', '5'));
  await rules.apply();
  expect(told.slice(1)).toEqual([
    'delete element inet vireo0 policy/a { 2 }\nadd element inet vireo0 policy/a { 5 }\n',
  ]);
  rules.drop('service/old');
  await rules.apply();
  expect(told[2]).toBe('delete element inet vireo0 policy/a { 1, 5 }\nadd element inet vireo0 policy/a { 4 }\n');
});

it('nothing of nobody changes', () => {
  expect(() => ruleset().rules.change('policy/b', { added: [], removed: [] })).toThrow('nothing of policy/b');
});
