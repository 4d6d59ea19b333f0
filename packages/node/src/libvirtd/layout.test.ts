import { expect, it } from 'vitest';
import { isConfOf, libvirtdConf, nodeLayout, qemuConf, runtimeDirectory } from './layout.ts';

it('every home has a place of its own for sockets, with a short path', () => {
  const one = runtimeDirectory('/home/user/very/long/path/to/a/home', true);
  expect(one).toMatch(/^\/run\/vireo\/[\da-f]{12}$/);
  expect(runtimeDirectory('/other', true)).not.toBe(one);
  expect(runtimeDirectory('/other', false, { XDG_RUNTIME_DIR: '/run/user/7' })).toMatch(/^\/run\/user\/7\/vireo\//);
  expect(runtimeDirectory('/other', false, {})).toMatch(/^\/tmp\/vireo-\d+\//);
  const deepest = `${one}/machines/11111111-2222-4333-8444-555555555555/serial`;
  // What the kernel allows for the path of a unix socket.
  expect(deepest.length).toBeLessThan(108);
});

it('the daemon is private: its socket is in our directory, and root needs no other user', () => {
  const root = nodeLayout('/home', true);
  expect(libvirtdConf(root, 'u')).toContain(`unix_sock_dir = "${root.run}"`);
  expect(libvirtdConf(root, 'u')).toContain('unix_sock_rw_perms = "0700"');
  expect(libvirtdConf(root, 'u')).toContain('unix_sock_ro_perms = "0700"');
  expect(root.libvirtSocket).toBe(`${root.run}/libvirt-sock`);
  expect(qemuConf(root)).toContain('user = "root"');
});

it('a home may have a space in its path, where the daemon can name no log', () => {
  const spaced = nodeLayout("/it's my home", true);
  expect(libvirtdConf(spaced, 'u')).toContain('\nlog_outputs = "3:stderr"\n');
  expect(isConfOf(spaced, libvirtdConf(spaced, 'u'))).toBe(true);
  const plain = nodeLayout('/home', true);
  expect(libvirtdConf(plain, 'u')).toContain('"3:file:/home/libvirt/log/libvirtd.log"');
});

it('a user has a session daemon', () => {
  const user = nodeLayout('/home', false);
  expect(user.uri).toBe('qemu:///session');
  expect(libvirtdConf(user, 'u')).not.toContain('unix_sock_dir');
  expect(qemuConf(user)).not.toContain('user =');
});
