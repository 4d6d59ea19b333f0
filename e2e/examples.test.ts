import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useCluster } from './kubectl.ts';

const directory = join(import.meta.dirname, '..', 'examples');
/** Machines need a server that runs them: `machines.test.ts`. */
const isPlain = (name: string): boolean => !readFileSync(join(directory, name), 'utf8').includes('kubevirt.io/v1');
const { kubectl } = useCluster();

describe('the examples', () => {
  it.each(readdirSync(directory).filter((name) => name.endsWith('.yaml') && isPlain(name)))(
    '%s can be applied, twice',
    async (name) => {
      const file = join(directory, name);
      const first = (await kubectl(`apply -f ${file}`)).split('\n');
      expect(first.every((line) => line.endsWith(' created'))).toBe(true);
      const second = (await kubectl(`apply -f ${file}`)).split('\n');
      expect(second).toEqual(first.map((line) => line.replace(/ created$/, ' unchanged')));
    },
  );

  it('give the read-only user what it says', async () => {
    expect(await kubectl('auth can-i list pods --as=system:serviceaccount:default:auditor')).toBe('yes');
    expect(await kubectl('auth can-i delete pods --as=system:serviceaccount:default:auditor')).toContain('no');
  });
});
