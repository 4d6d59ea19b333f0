import { expect, it } from 'vitest';
import { type Machine, machineOf, vmRow } from './machine.ts';
import { MACHINE_TABS, tabAddress } from './machineTabs.ts';
import { candidates, type Known, ranked, withRecent } from './palette.ts';

const machine = (name: string, printableStatus = 'Stopped') =>
  machineOf(vmRow({ metadata: { name, namespace: 'shop' }, spec: {}, status: { printableStatus } }), undefined);
const machines = [machine('web'), machine('web-2'), machine('db', 'Running')];
const mayAll = (): boolean => true;
const KNOWN: Known = {
  machines,
  current: undefined,
  may: mayAll,
  has: () => undefined,
  namespace: 'shop',
  mayShowAll: true,
  keysAt: () => [],
};
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

it('all views of a machine are found, and those of the page are the same', () => {
  const [first] = machines;
  for (const { key, title } of MACHINE_TABS) {
    const [command] = commands(`${title} web`);
    expect(command?.title).toBe(`${title} of web`);
    expect(command?.effect).toEqual({ kind: 'go', href: tabAddress(first as Machine, key) });
  }
  expect(find('snapshots of web')[0]).toBe('Snapshots of web');
});

it('dialogs of a machine are opened on its page, or say why not', () => {
  const there = '/machines/shop';
  expect(commands('migrate db')[0]).toMatchObject({ reason: 'It is not running.' });
  const running = [{ ...machine('db', 'Running'), hasInstance: true }];
  expect(commands('migrate db', { machines: running })[0]?.effect).toEqual({
    kind: 'go',
    href: `${there}/db?ask=migrate`,
  });
  expect(commands('take snapshot web')[0]?.effect).toEqual({ kind: 'go', href: `${there}/web/snapshots?ask=take` });
  expect(commands('clone web')[0]?.effect).toEqual({ kind: 'go', href: `${there}/web/snapshots?ask=clone` });
  expect(commands('clone web', { may: () => false })[0]?.reason).toContain('virtualmachineclones');
  expect(commands('clone web', { has: () => false }).map(({ title }) => title)).not.toContain('Clone web');
});

it('files are uploaded and imported, or it is said why not', () => {
  expect(commands('upload')[0]).toMatchObject({ effect: { href: '/images?ask=upload' } });
  expect(commands('import')[0]).toMatchObject({ effect: { href: '/images?ask=import' } });
  expect(commands('import', { has: () => false })[0]?.reason).toContain('CDI is not installed');
  expect(commands('upload', { may: () => false, namespace: undefined })[0]?.reason).toContain('choose one');
});

it('what is in lists that are loaded is found by name, and nothing else', () => {
  const lists: Readonly<Record<string, readonly string[]>> = {
    '/apis/kubevirt.io/v1/namespaces/shop/virtualmachineinstancereplicasets': ['shop/workers'],
    '/apis/pool.kubevirt.io/v1beta1/namespaces/shop/virtualmachinepools': ['shop/desktops'],
    '/apis/cdi.kubevirt.io/v1beta1/namespaces/shop/datavolumes': ['shop/fedora'],
    '/api/v1/nodes': ['/node-1'],
    '/api/v1/namespaces': ['/shop', '/lab'],
  };
  const keysAt = (path: string) => lists[path] ?? [];
  const hrefOf = (text: string) => commands(text, { keysAt })[0]?.effect;
  expect(hrefOf('workers')).toEqual({ kind: 'go', href: '/sets/shop/workers' });
  expect(hrefOf('pool desktops')).toEqual({ kind: 'go', href: '/sets/shop/desktops?kind=pool' });
  expect(hrefOf('fedora')).toEqual({ kind: 'go', href: '/images/volumes/DataVolume/shop/fedora' });
  expect(hrefOf('node-1')).toEqual({ kind: 'go', href: '/nodes/node-1' });
  expect(hrefOf('lab')).toEqual({ kind: 'namespace', namespace: 'lab' });
  expect(hrefOf('all namespaces')).toEqual({ kind: 'namespace', namespace: undefined });
  expect(commands('workers')).toEqual([]);
  expect(find('namespace shop')).toEqual([]);
});

it('a machine is found although its name begins like a word of the palette', () => {
  expect(commands('start net', { machines: [machine('net'), machine('web')] })[0]?.title).toBe('Start net');
});

it('tasks and the choice of a namespace are opened', () => {
  expect(commands('tasks')[0]?.effect).toEqual({ kind: 'tasks' });
  expect(commands('change namespace')[0]?.effect).toEqual({ kind: 'pickNamespace' });
});
