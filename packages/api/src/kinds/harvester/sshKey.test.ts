import { expect, it } from 'vitest';
import { formatPublicKey, parsePublicKey } from './sshKey.ts';

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f';

it.each([
  ['alone', KEY],
  ['with a comment', `${KEY} ada@example.org`],
  ['after options', `restrict,command="echo hi" ${KEY} ada`],
  ['with a line break at its end', `${KEY}\n`],
])('a public key is read %s', (_, text) => {
  expect(parsePublicKey(text)).toMatchObject({ type: 'ssh-ed25519', blob: { length: 51 } });
});

it.each([
  ['nothing', ''],
  ['a word', 'nonsense'],
  ['a key of another type than it says', KEY.replace('ssh-ed25519', 'ssh-rsa')],
  ['a key that is cut off', KEY.slice(0, -8)],
  ['two keys', `${KEY}\n${KEY}`],
  ['a private key', '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----'],
])('%s is no public key', (_, text) => {
  expect(parsePublicKey(text)).toBeUndefined();
});

it('what is written is read again', () => {
  const text = formatPublicKey('ssh-rsa', [Buffer.from([1, 0, 1]), Buffer.from([0, 200, 3])], 'mine');
  expect(parsePublicKey(text)?.type).toBe('ssh-rsa');
});
