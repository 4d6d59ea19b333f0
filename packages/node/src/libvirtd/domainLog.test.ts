import { expect, it } from 'vitest';
import { domainLog } from './domainLog.ts';
import { nodeLayout } from './layout.ts';

it.each([
  [true, 'shop/web.v1', '/home/libvirt/log/qemu/shop_web.v1.log'],
  [false, 'shop/web', '/home/libvirt/cache/libvirt/qemu/log/shop_web.log'],
  [true, 'shop/../../../etc/x', undefined],
  [true, '../x', '/home/libvirt/log/qemu/.._x.log'],
  [true, 'shop', undefined],
  [true, 'shop/a\0b', undefined],
])('as root: %s, the log of %j is %j', (isRoot, key, expected) => {
  expect(domainLog(nodeLayout('/home', isRoot), key)).toBe(expected);
});
