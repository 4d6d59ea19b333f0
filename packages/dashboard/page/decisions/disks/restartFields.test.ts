import { expect, it } from 'vitest';
import { changedFields, changeText } from './restartFields.ts';

const template = (memory: string, more: object = {}) => ({ domain: { memory: { guest: memory } }, ...more });
const texts = (...given: Parameters<typeof changedFields>): string[] => changedFields(...given).map(changeText);

it('a field that differs from the start is named with both values', () => {
  const running = { ...template('1Gi'), evictionStrategy: 'None' };
  expect(texts(template('1Gi'), template('2Gi'), running)).toEqual(['domain.memory.guest: 1Gi → 2Gi']);
  expect(texts(template('1Gi'), template('1Gi'), running)).toEqual([]);
});

it('without the start, defaults of the instance are no changes', () => {
  const running = {
    domain: { memory: { guest: '1Gi' }, cpu: { cores: 1 }, devices: { interfaces: [{ name: 'a', masquerade: {} }] } },
  };
  expect(texts(undefined, template('2Gi'), running)).toEqual(['domain.memory.guest: 1Gi → 2Gi']);
});

it('what was plugged in needs no restart, what was removed from the spec does', () => {
  const volume = (name: string) => ({ name, dataVolume: { name } });
  const started = template('1Gi', { volumes: [volume('root'), volume('old')] });
  const current = template('1Gi', { volumes: [volume('root'), volume('new')] });
  const running = template('1Gi', { volumes: [volume('root'), volume('old'), volume('new')] });
  expect(texts(started, current, running)).toEqual(['volumes.old: {"dataVolume":{"name":"old"}} → removed']);
});

it('lists with names are compared by name, whatever their order', () => {
  const disk = (name: string, bus: string) => ({ name, disk: { bus } });
  const spec = (...disks: object[]) => ({ domain: { devices: { disks } } });
  expect(
    texts(
      spec(disk('a', 'sata'), disk('b', 'sata')),
      spec(disk('b', 'scsi'), disk('a', 'sata')),
      spec(disk('a', 'sata'), disk('b', 'sata')),
    ),
  ).toEqual(['domain.devices.disks.b.disk.bus: sata → scsi']);
});

it('placement reaches a running guest by itself', () => {
  expect(texts({ nodeSelector: { a: 'b' } }, { nodeSelector: { a: 'c' } }, { nodeSelector: { a: 'b' } })).toEqual([]);
});
