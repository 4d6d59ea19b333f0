import { expect, it } from 'vitest';
import { loginText } from './loginText.ts';
import { userDataFor, userDataWith } from './userData.ts';

const guest = { user: 'debian', sshKeys: ['ssh-ed25519 K'] };
const from = (file: string, password?: string): string | undefined =>
  loginText(userDataWith(file, { ...guest, password }, 'f'), password);

it.each([
  ['no file', loginText(userDataFor(guest), undefined), 'Log in as debian with your ssh key:'],
  [
    'no file, and a password',
    loginText(userDataFor({ ...guest, password: 'x' }), 'x'),
    'Log in as debian with password x:',
  ],
  ['packages', from('#cloud-config\npackages: [nginx]', 'x'), 'Log in as debian with password x:'],
  ['a user of its own', from('#cloud-config\nuser: ada'), 'Log in as ada with your ssh key:'],
  [
    'a password of its own',
    from('#cloud-config\npassword: secret', 'x'),
    'Log in as debian with the password in your user data:',
  ],
  [
    'users of its own',
    from('#cloud-config\nusers: [{name: ada, plain_text_passwd: secret}]', 'x'),
    'Log in as ada with the password in your user data:',
  ],
  ['a user whom nobody knows', from('#cloud-config\nusers: [default]'), undefined],
  ['a script', from('#!/bin/sh\ntrue\n', 'x'), undefined],
])('user data with %s says how to log in', (_, text, expected) => {
  expect(text).toBe(expected);
});
