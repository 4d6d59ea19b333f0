import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useCluster } from './kubectl.ts';

const directory = join(import.meta.dirname, '..', 'examples');
const { kubectl } = useCluster();

describe('the examples', () => {
  it.each(readdirSync(directory).filter((name) => name.endsWith('.yaml')))('%s can be applied, twice', async (name) => {
    const file = join(directory, name);
    const first = (await kubectl(`apply -f ${file}`)).split('\n');
    expect(first.every((line) => line.endsWith(' created'))).toBe(true);
    const second = (await kubectl(`apply -f ${file}`)).split('\n');
    expect(second).toEqual(first.map((line) => line.replace(/ created$/, ' unchanged')));
  });

  it('give the read-only user what it says', async () => {
    expect(await kubectl('auth can-i list pods --as=system:serviceaccount:default:auditor')).toBe('yes');
    expect(await kubectl('auth can-i delete pods --as=system:serviceaccount:default:auditor')).toContain('no');
  });
});
