import { describe, expect, it } from 'vitest';
import { missing, type Own, type Reached, type Target, unexpected, whatIs } from './targets.ts';

const target = (name: string, changes: Partial<Target> = {}): Target => ({
  verb: 'file',
  words: [name],
  name,
  what: 'disk',
  isHosts: false,
  ...changes,
});
const reached = (each: Target, ...ways: string[]): Reached => ({ target: each, ways });

describe('what a guest that has broken out reaches', () => {
  const own: Own[] = [
    { name: '/own', may: ['read', 'write'], must: ['read'] },
    { name: '/shared', may: ['read'], must: ['read'] },
  ];
  const shadow = target('/etc/shadow', { isHosts: true });
  const nullDevice = target('/dev/null', { isHosts: true });

  it('is no finding as far as it is its own', () => {
    expect(unexpected([reached(target('/own'), 'read', 'write'), reached(target('/shared'), 'read')], own, [])).toEqual(
      [],
    );
  });

  it('is a finding beyond that', () => {
    const [shared, other] = [target('/shared'), target('/other')];
    expect(unexpected([reached(shared, 'read', 'write'), reached(other, 'connect')], own, [])).toEqual([
      reached(shared, 'write'),
      reached(other, 'connect'),
    ]);
  });

  it('is a finding for things of the host if other users cannot do it', () => {
    const everybody = [reached(nullDevice, 'read', 'write'), reached(target('/home/store.db'), 'read')];
    expect(unexpected([reached(nullDevice, 'read'), reached(shadow, 'read')], own, everybody)).toEqual([
      reached(shadow, 'read'),
    ]);
    // Nothing of Vireo's becomes harmless by being open to all.
    expect(unexpected(everybody.slice(1), own, everybody)).toEqual(everybody.slice(1));
  });

  it('has shown nothing if it does not include what is its own', () => {
    expect(missing([reached(target('/own'), 'read')], own)).toEqual(['cannot read its own /shared']);
    expect(missing([reached(target('/own'), 'read'), reached(target('/shared'), 'read')], own)).toEqual([]);
  });
});

it.each([
  ['pki/ca.key', 'key'],
  ['kubeconfig', 'key'],
  ['store.db-wal', 'store'],
  ['vireo.log', 'log'],
  ['machines/1/root.qcow2', 'disk'],
  ['volumes/pv/disk.img', 'disk'],
  ['libvirt/run', 'libvirt'],
  ['registries.json', 'home'],
])('%s is of the kind %s', (place, what) => {
  expect(whatIs(place)).toBe(what);
});
