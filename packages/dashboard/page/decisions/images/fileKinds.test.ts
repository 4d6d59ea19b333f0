import { expect, it } from 'vitest';
import { fileKind, HEAD_BYTES } from './fileKinds.ts';

function qcow2(change: (view: DataView) => void = () => {}): Uint8Array {
  const head = new Uint8Array(HEAD_BYTES);
  const view = new DataView(head.buffer);
  head.set([0x51, 0x46, 0x49, 0xfb]);
  view.setUint32(4, 3);
  view.setBigUint64(24, 3n << 30n);
  change(view);
  return head;
}

it('a qcow2 image says how large its disk is', () => {
  expect(fileKind(qcow2(), 196_656)).toEqual({ format: 'qcow2', label: 'qcow2 image', diskBytes: 3 * 2 ** 30 });
});

it.each([
  ['a backing file', (view: DataView) => view.setBigUint64(8, 512n)],
  ['encrypted', (view: DataView) => view.setUint32(32, 1)],
  ['an external data file', (view: DataView) => view.setBigUint64(72, 4n)],
  ['version 9', (view: DataView) => view.setUint32(4, 9)],
])('a qcow2 image with %s is refused early', (words, change) =>
  expect(fileKind(qcow2(change), 1).problem).toContain(words),
);

it.each([
  ['gzip', [0x1f, 0x8b]],
  ['xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['raw', [0xeb, 0x63]],
])('%s is known by its first bytes', (format, bytes) => {
  const head = new Uint8Array(HEAD_BYTES);
  head.set(bytes);
  expect(fileKind(head, 5).format).toBe(format);
});

it('an ISO image is as large as its file; VMDK is not taken', () => {
  const head = new Uint8Array(HEAD_BYTES);
  head.set(new TextEncoder().encode('CD001'), 32_769);
  expect(fileKind(head, 372_736)).toMatchObject({ format: 'iso', diskBytes: 372_736 });
  expect(fileKind(new TextEncoder().encode('KDMV rest'), 9).problem).toContain('VMDK');
});
