import { describe, expect, it } from 'vitest';
import { newMachine } from './defaults.ts';
import { listAt, VOLUMES } from './objects.ts';
import { readSource, type Source, withSource } from './source.ts';

const { vm } = newMachine({ name: 'web', namespace: 'shop', isVireo: true });

describe('the first disk', () => {
  it.each<Source>([
    { kind: 'image', image: 'vireo/guest', isKept: false, size: '' },
    { kind: 'image', image: 'quay.io/containerdisks/debian:13', isKept: true, size: '10Gi' },
    { kind: 'volume', claim: 'data' },
    { kind: 'clone', namespace: 'images', claim: 'debian', size: '10Gi' },
    { kind: 'clone', namespace: 'images', claim: 'debian', size: '' },
    { kind: 'dataSource', namespace: 'images', name: 'fedora', size: '20Gi' },
    { kind: 'url', url: 'https://example.com/a.qcow2', size: '5Gi' },
    { kind: 'empty', size: '20Gi', disc: '' },
    { kind: 'empty', size: '20Gi', disc: 'https://example.com/a.iso' },
    { kind: 'empty', size: '20Gi', disc: 'quay.io/me/iso:1' },
    { kind: 'harvester', image: 'default/debian', size: '10Gi', storageClass: 'longhorn-image' },
  ])('%j is read as it was written', (source) => expect(readSource(withSource(vm, source))).toEqual(source));

  it('leaves nothing of the one before it', () => {
    const through: Source[] = [
      { kind: 'empty', size: '20Gi', disc: 'https://example.com/a.iso' },
      { kind: 'harvester', image: 'default/debian', size: '10Gi', storageClass: '' },
      { kind: 'volume', claim: 'data' },
    ];
    const direct = withSource(vm, { kind: 'image', image: 'x', isKept: false, size: '' });
    const round = withSource(through.reduce(withSource, vm), { kind: 'image', image: 'x', isKept: false, size: '' });
    // The disc needed an order, which does no harm.
    expect(JSON.stringify(round).replace(',"bootOrder":1', '')).toBe(JSON.stringify(direct));
  });

  it('keeps other disks', () => {
    const other = { name: 'data', persistentVolumeClaim: { claimName: 'data' } };
    const more = { ...vm, spec: JSON.parse(JSON.stringify(vm.spec)) };
    (more.spec as { template: { spec: { volumes: unknown[] } } }).template.spec.volumes.push(other);
    expect(listAt(withSource(more, { kind: 'volume', claim: 'a' }), VOLUMES)).toContainEqual(other);
  });

  it('keeps what the YAML says of it beside the form', () => {
    const url = withSource(vm, { kind: 'url', url: 'https://a.example/x', size: '5Gi' });
    const text = JSON.stringify(url)
      .replace('"http":{', '"http":{"certConfigMap":"ca",')
      .replace('"storage":{"resources"', '"storage":{"storageClassName":"fast","resources"');
    const next = JSON.stringify(withSource(JSON.parse(text), { kind: 'url', url: 'https://b.example/x', size: '6Gi' }));
    for (const word of ['certConfigMap', 'fast', 'b.example', '6Gi']) expect(next).toContain(word);
    for (const word of ['a.example', '5Gi']) expect(next).not.toContain(word);
  });

  it('that the form does not know is left alone', () => {
    const strange = withSource(vm, { kind: 'volume', claim: 'a' });
    expect(withSource(strange, { kind: 'other' })).toBe(strange);
    expect(readSource({})).toEqual({ kind: 'other' });
  });
});
