import { expect, it } from 'vitest';
import { isShown } from './expected.ts';

it.each([
  { what: 'the same', shown: 'a\nb', printed: 'a\nb\n' },
  { what: 'other widths of columns', shown: 'NAME   AGE\nweb    40s', printed: 'NAME     AGE\nweb      2m3s' },
  { what: 'another duration', shown: 'Running after 23 s', printed: 'Running after 1.2 s' },
  { what: 'another time', shown: 'at 2026-11-16T04:03:04Z', printed: 'at 2027-01-01T00:00:00.123Z' },
  { what: 'another pod', shown: 'Pod virt-launcher-web-frn9h', printed: 'Pod virt-launcher-web-aaaaa' },
  { what: 'another port', shown: 'at https://127.0.0.1:6443', printed: 'at https://127.0.0.1:43433' },
  { what: 'another version', shown: 'libvirt 9.0.0', printed: 'libvirt 10.2.1' },
  { what: 'lines left out', shown: 'a\n…\nd', printed: 'a\nb\nc\nd' },
  { what: 'no line left out', shown: 'a\n…\nd', printed: 'a\nd' },
  { what: 'words left out', shown: 'a … d', printed: 'a b c d' },
])('$what is what the page shows', ({ shown, printed }) => {
  expect(isShown(shown, printed)).toBe(true);
});

it.each([
  { what: 'another word', shown: 'a b', printed: 'a c' },
  { what: 'one line more', shown: 'a', printed: 'a\nb' },
  { what: 'one line less', shown: 'a\nb', printed: 'a' },
  { what: 'another number', shown: 'workers 3', printed: 'workers 5' },
  { what: 'another address', shown: 'IP 10.0.2.15', printed: 'IP 10.0.2.2' },
  { what: 'nothing', shown: 'a', printed: '' },
  { what: 'text that a pattern would take', shown: 'a.c', printed: 'abc' },
])('$what is not', ({ shown, printed }) => {
  expect(isShown(shown, printed)).toBe(false);
});
