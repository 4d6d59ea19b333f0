import { expect, it } from 'vitest';
import { type Machine, machineOf, vmRow } from './machine.ts';
import { candidates, type Known, ranked, withRecent } from './palette.ts';

const machine = (name: string, printableStatus = 'Stopped') =>
  machineOf(vmRow({ metadata: { name, namespace: 'shop' }, spec: {}, status: { printableStatus } }), undefined);
const machines = [machine('web'), machine('web-2'), machine('db', 'Running')];
const mayAll = (): boolean => true;
const KNOWN: Known = { machines, current: undefined, may: mayAll, has: () => undefined, namespace: 'shop' };
const commands = (text: string, more: Partial<Known> = {}, recent: string[] = []) =>
  ranked(candidates(text, { ...KNOWN, ...more }), text, recent);
const find = (text: string, recent: string[] = [], current?: Machine) =>
  commands(text, { current }, recent).map(({ title }) => title);

it('an empty text offers pages, and recent commands first', () => {
  expect(find('')[0]).toBe('Machines');
  expect(find('', ['logOut', 'page /nodes']).slice(0, 2)).toEqual(['Log out', 'Nodes']);
});

it('machines are found by name, the exact one first', () => {
  expect(find('web').slice(0, 2)).toEqual(['web', 'web-2']);
});

it('actions on a machine are found by verb and name', () => {
  expect(find('start web').slice(0, 2)).toEqual(['Start web', 'Start web-2']);
  expect(find('force off db')[0]).toBe('Force off db');
  expect(find('console db')[0]).toBe('Console of db');
  expect(find('depends on db')[0]).toBe('Depends on of db');
});

it('actions that make no sense, or are not allowed, say why', () => {
  const reasonOf = (text: string, may: () => boolean) => commands(text, { may })[0]?.reason;
  expect(reasonOf('stop web', mayAll)).toBe('It is stopped already.');
  expect(reasonOf('start web', mayAll)).toBeUndefined();
  expect(reasonOf('start web', () => false)).toContain('not allowed');
  expect(reasonOf('create a machine', mayAll)).toBeUndefined();
  expect(reasonOf('create a machine', () => false)).toContain('not allowed');
  const [create] = commands('create a machine', { may: () => false, namespace: undefined });
  expect(create?.reason).toContain('choose one at the top');
});

it('what the server does not have is not offered', () => {
  const titles = (text: string, isThere: boolean) => commands(text, { has: () => isThere }).map(({ title }) => title);
  expect(titles('console db', true)).toContain('Console of db');
  expect(titles('console db', false)).not.toContain('Console of db');
  expect(titles('', true)).toContain('Replica sets and pools');
  expect(titles('', false)).not.toContain('Replica sets and pools');
});

it('the machine of the page is acted on without its name', () => {
  expect(find('start', [], machines[2])[0]).toBe('Start db');
});

it('recent commands are few, and each is there once', () => {
  expect(withRecent(['a', 'b'], 'b')).toEqual(['b', 'a']);
  expect(withRecent('abcdefgh'.split(''), 'z')).toHaveLength(8);
});
