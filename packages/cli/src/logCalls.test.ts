import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const PACKAGES = join(import.meta.dirname, '../..');
/** A call of a log, and whether it is about nothing. */
const CALL = /\b\w*[lL]og\??\.(?:debug|info|warn|error)\(\s*(?:'([^']*)'|"([^"]*)"|`([^`]*)`|(\w+)),\s*(undefined\b)?/g;

/** Lines that are about no object: what the log is about is said by whoever made it, or it is the process itself. */
const ABOUT_NOTHING = [
  // The log that a reconcile gets is about the object of its key.
  'reconcile conflicted with another write; retrying',
  'reconcile failed; retrying',
  // All objects of a kind.
  'list or watch failed; retrying',
  'the server does not support streaming lists; listing instead',
  'the watch has expired; listing again',
  // libvirtd, and what it knows.
  'cannot truncate a libvirtd log',
  'cannot resume guests that were paused for a clone',
  'cannot start libvirtd',
  'libvirt cannot stop the guests; killing their processes',
  'cannot cache the QEMU capabilities of libvirt',
  'libvirtd cannot be stopped',
  'libvirtd cannot be started',
  'libvirtd does not respond; starting a new one',
  'replacing libvirtd',
  'the connection to libvirtd is lost',
  'the dead-man process of the node does not start',
  // The host.
  'cannot read the free disk space',
  'processes of a guest may go on',
  'some virtiofsd of a VMI may go on',
  'further nodes reach this host only: they can pull no images',
  'further nodes share the network of this host',
  'a card cannot be connected',
  'slirp4netns has ended, and is started again',
  'the DHCP server of secondary networks',
  'the DHCPv6 server of secondary networks',
  'the router advertisements of secondary networks',
  'the rules of secondary networks are loaded anew',
  // The process.
  'a hypervisor plug-in is not used',
  'a metric cannot be read',
  'a certificate cannot be renewed',
  'a certificate was renewed',
  'a request failed',
  'a request to the node failed',
  'a request of another node failed',
  'the thread that listens for other nodes has ended; it is started again',
  'cannot register with the kubelet; retrying',
  'registered with the kubelet',
  'the kubelet has started anew; registering again',
  'there is no certificate for connections to nodes',
  'cannot answer a request',
  'cannot read a metric',
  'the extension listens for a front proxy',
  'the store has failed',
  'a token of an identity provider was refused',
  'a login at the dashboard failed',
  'audit events cannot be logged and are lost; requests are served all the same',
  'the authentication configuration cannot be reloaded; the previous one stays',
  'the authentication configuration was reloaded',
  'the extension cannot be kept up to date',
];

it('every line of the log is about an object, or known to be about none', () => {
  const files = globSync('*/src/**/*.ts', { cwd: PACKAGES }).filter((file) => !/\.test\.ts$|\/testing\//.test(file));
  const calls = files.flatMap((file) =>
    [...readFileSync(join(PACKAGES, file), 'utf8').matchAll(CALL)].map((call) => ({
      message: call.slice(1, 5).find((text) => text !== undefined) ?? '',
      isAboutNothing: call[5] !== undefined,
    })),
  );
  expect(calls.length).toBeGreaterThan(30);
  const found = calls.filter(({ isAboutNothing }) => isAboutNothing).map(({ message }) => message);
  expect([...new Set(found)].sort()).toEqual(ABOUT_NOTHING.toSorted());
});
