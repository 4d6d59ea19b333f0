import { describe, expect, it } from 'vitest';
import { ObjectCache } from './objectCache.ts';
import { type ConfigMap, configMap } from './testing/kinds.ts';

const version = (name: string, uid: string, resourceVersion: string, data = {}): ConfigMap => {
  const made = configMap(name, data);
  return { ...made, metadata: { ...made.metadata, uid, resourceVersion } };
};
const colours = (object: ConfigMap) => Object.values(object.data ?? {});

describe('ObjectCache', () => {
  it('says how each write changed it', () => {
    const cache = new ObjectCache<ConfigMap>();
    const first = version('a', 'u1', '1');
    const second = version('a', 'u1', '2');
    const last = version('a', 'u1', '3');
    expect(cache.set(first)).toEqual([{ type: 'added', object: first }]);
    expect(cache.set(first)).toEqual([]);
    expect(cache.set(second)).toEqual([{ type: 'updated', old: first, object: second }]);
    expect(cache.delete(last)).toEqual([{ type: 'deleted', object: last, finalStateUnknown: false }]);
    expect(cache.delete(last)).toEqual([]);
  });

  it('reports another object of the same name as an end and a beginning', () => {
    const cache = new ObjectCache<ConfigMap>();
    const old = version('a', 'u1', '1');
    const reborn = version('a', 'u2', '5');
    cache.set(old);
    expect(cache.set(reborn)).toEqual([
      { type: 'deleted', object: old, finalStateUnknown: true },
      { type: 'added', object: reborn },
    ]);
  });

  it('replaces the whole state with the fewest changes', () => {
    const cache = new ObjectCache<ConfigMap>();
    const [gone, same, older] = [version('gone', 'g', '1'), version('same', 's', '2'), version('new', 'n', '3')];
    const newer = version('new', 'n', '4');
    cache.replace([gone, same, older]);
    expect(cache.replace([version('same', 's', '2'), newer])).toEqual([
      { type: 'deleted', object: gone, finalStateUnknown: true },
      { type: 'updated', old: older, object: newer },
    ]);
    expect(cache.get('default/same')).toBe(same);
  });

  it('keeps its indexes true', () => {
    const cache = new ObjectCache<ConfigMap>();
    cache.set(version('a', 'u1', '1', { x: 'red', y: 'blue' }));
    cache.addIndex('colour', colours);
    cache.set(version('b', 'u2', '2', { x: 'red' }));
    const names = (colour: string) => cache.byIndex('colour', colour).map(({ metadata }) => metadata.name);
    expect(names('red')).toEqual(['a', 'b']);
    expect(names('blue')).toEqual(['a']);
    cache.set(version('a', 'u1', '3', { x: 'green' }));
    expect([names('red'), names('blue'), names('green')]).toEqual([['b'], [], ['a']]);
    cache.delete(version('b', 'u2', '4'));
    expect(names('red')).toEqual([]);
  });

  it('names the indexes there are when asked for another, and takes no second meaning for one', () => {
    const cache = new ObjectCache<ConfigMap>();
    cache.addIndex('colour', colours);
    cache.addIndex('colour', colours);
    expect(() => cache.byIndex('color', 'red')).toThrow('there is no index named "color"; the indexes are: colour');
    expect(() => cache.addIndex('colour', () => [])).toThrow('an index named "colour"');
  });
});
