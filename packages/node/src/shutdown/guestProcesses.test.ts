import { expect, it } from 'vitest';
import { nodeLayout } from '../libvirtd/layout.ts';
import { guestOf } from './guestProcesses.ts';

const layout = nodeLayout('/home/a', true);
const guest = ['/usr/bin/qemu-system-x86_64', '-name', 'guest=shop_web,debug-threads=on'];

it.each([
  ['a guest with a disk of the home', [...guest, '-blockdev', `{"filename":"/home/a/machines/1/disk"}`], 'shop/web'],
  ['a guest with a socket of the node', [...guest, '-chardev', `socket,path=${layout.run}/machines/1/vnc`], 'shop/web'],
  [
    'a guest of a home with a longer name',
    [...guest, '-blockdev', `{"filename":"/home/a/machines2/1/disk"}`],
    undefined,
  ],
  ['somebody else’s guest', [...guest, '-hda', '/tmp/disk'], undefined],
  ['a program that is told of the disk', ['qemu-img', 'info', '/home/a/machines/1/disk'], undefined],
  ['a kernel thread', [''], undefined],
])('%s', (_, words, key) => {
  expect(guestOf(words, layout)).toBe(key);
});
