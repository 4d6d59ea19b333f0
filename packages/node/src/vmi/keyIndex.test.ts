import { beforeEach, describe, expect, it } from 'vitest';
import { KeyIndex } from './keyIndex.ts';

let names: KeyIndex;
beforeEach(() => {
  names = new KeyIndex();
  names.set('1', 'shop/web');
  names.set('2', 'shop/web');
  names.set('3', 'shop/db');
});

describe('the keys of uids', () => {
  it('are found both ways', () => {
    expect(names.keyOf('2')).toBe('shop/web');
    expect([...names.uidsOf('shop/web')]).toEqual(['1', '2']);
    expect([...names.uidsOf('shop/none')]).toEqual([]);
  });

  it('are forgotten one by one', () => {
    names.delete('1');
    names.delete('1');
    expect(names.keyOf('1')).toBeUndefined();
    expect([...names.uidsOf('shop/web')]).toEqual(['2']);
    names.delete('2');
    expect([...names.uidsOf('shop/web')]).toEqual([]);
  });

  it('can change', () => {
    names.set('1', 'shop/db');
    names.set('1', 'shop/db');
    expect([...names.uidsOf('shop/web')]).toEqual(['2']);
    expect([...names.uidsOf('shop/db')]).toEqual(['3', '1']);
  });
});
