import { vmiWith, vmWith } from '@vireo/extension/testing/vms.ts';
import { describe, expect, it } from 'vitest';
import { hostKeyAlias } from './guestSsh.ts';
import { loginsIn, matchKey } from './login.ts';

describe('who can log in', () => {
  it.each([
    [
      'the user of the cloud-config',
      '#cloud-config\nuser: ada\npassword: x\nssh_authorized_keys:\n  - ssh-ed25519 AAA ada@here\n',
      { user: 'ada', keys: ['ssh-ed25519 AAA ada@here'], hasPassword: true },
    ],
    [
      'the first of its users who has a key',
      '#cloud-config\nusers:\n  - default\n  - name: bob\n    ssh_authorized_keys: [ssh-rsa BBB]\n',
      { user: 'bob', keys: ['ssh-rsa BBB'], hasPassword: false },
    ],
    ['nobody, of a script', '#!/bin/sh\n', { keys: [], hasPassword: false }],
    ['nobody, of broken YAML', '#cloud-config\n: [', { keys: [], hasPassword: false }],
    ['nobody whom ssh would take for an option', '#cloud-config\nuser: -oX\n', { keys: [], hasPassword: false }],
  ])('is %s', (_, userData, logins) => {
    expect(loginsIn(userData)).toEqual(logins);
  });

  const file = { publicKey: 'ssh-ed25519 AAA me@laptop\n', file: '/home/me/.ssh/id_ed25519' };
  const held = { publicKey: 'ssh-rsa BBB card' };
  it.each([
    ['a key file, whatever its comment', ['ssh-ed25519 AAA ada@here'], file],
    ['a key of the ssh agent', ['ssh-rsa BBB'], held],
    ['nothing, where no key fits', ['ssh-rsa CCC'], undefined],
  ])('uses %s', (_, keys, key) => {
    expect(matchKey(keys, [held, file])).toBe(key);
  });
});

describe('the key of a guest is remembered', () => {
  const volumes = (volume: object) => ({ template: { spec: { domain: { devices: {} }, volumes: [volume] } } }) as never;
  it.each([
    ['for the VM, where its disk stays', volumes({ name: 'a', dataVolume: { name: 'a' } }), 'vm.web.default.vm-uid'],
    [
      'for one start, where it does not',
      volumes({ name: 'a', containerDisk: { image: 'a' } }),
      'vm.web.default.vmi-uid',
    ],
  ])('%s', (_, parts, alias) => {
    expect(hostKeyAlias({ vm: vmWith(parts), vmi: vmiWith() }, 'vm.web.default')).toBe(alias);
  });
});
