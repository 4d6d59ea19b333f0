import { describe, expect, it } from 'vitest';
import { changesBetween, changeText, editable, mismatch, toStore } from './editable.ts';

const stored = {
  kind: 'VirtualMachine',
  apiVersion: 'kubevirt.io/v1',
  metadata: { name: 'web', namespace: 'shop', uid: 'u', resourceVersion: '7', managedFields: [], labels: { a: 'b' } },
  spec: { runStrategy: 'Always', disks: [{ name: 'root' }] },
  status: { ready: true },
};

describe('an object to edit', () => {
  it('begins with its identity and has nothing of the server', () => {
    const object = editable(stored);
    expect(Object.keys(object)).toEqual(['apiVersion', 'kind', 'metadata', 'spec']);
    expect(object.metadata).toEqual({ name: 'web', namespace: 'shop', labels: { a: 'b' } });
  });
  it('is stored as the version that it replaces', () => {
    expect(toStore(editable(stored), stored).metadata).toMatchObject({ name: 'web', uid: 'u', resourceVersion: '7' });
  });
  it('keeps its name and kind', () => {
    expect(mismatch(editable(stored), stored)).toBeUndefined();
    expect(mismatch({ ...editable(stored), kind: 'Pod' }, stored)).toBe(
      'kind cannot be changed: it must stay VirtualMachine.',
    );
    expect(mismatch({ ...editable(stored), metadata: { name: 'x', namespace: 'shop' } }, stored)).toContain(
      'metadata.name',
    );
    expect(mismatch('text', stored)).toBe('The text is not an object.');
  });
});

it('changes are told by field', () => {
  const after = { ...stored, spec: { runStrategy: 'Halted', disks: [{ name: 'root', bus: 'sata' }] } };
  expect(changesBetween(stored, after).map(changeText)).toEqual([
    'spec.runStrategy: Always → Halted',
    'spec.disks[0].bus: nothing → sata',
  ]);
  expect(changesBetween({ l: [1] }, { l: [1, 2] }).map(changeText)).toEqual(['l: [1] → [1,2]']);
});
