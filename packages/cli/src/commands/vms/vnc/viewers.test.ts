import { expect, it } from 'vitest';
import { chooseViewer, isInstalled } from './viewers.ts';

const address = '127.0.0.1:5900';

it.each([
  { choice: {}, has: ['vncviewer', 'remote-viewer'], program: 'remote-viewer', args: ['vnc://127.0.0.1:5900'] },
  { choice: {}, has: ['vncviewer'], program: 'vncviewer', args: [address] },
  { choice: { type: 'tiger' as const }, has: ['vncviewer', 'remote-viewer'], program: 'vncviewer', args: [address] },
  { choice: { path: '/opt/v', type: 'chicken' as const }, has: [] as string[], program: '/opt/v', args: [address] },
  {
    choice: { isVerbose: true },
    has: ['remote-viewer'],
    program: 'remote-viewer',
    args: ['vnc://127.0.0.1:5900', '--debug'],
  },
])('with $has and $choice it is $program', ({ choice, has, program, args }) => {
  expect(chooseViewer({ ...choice, address }, (each) => has.includes(each))).toEqual({ program, args });
});

it('a host may have none', () => {
  expect(chooseViewer({ address }, () => false)).toBeUndefined();
});

it('programs are looked for on the PATH', () => {
  expect(isInstalled('sh', { PATH: '/nowhere:/bin' })).toBe(true);
  expect(isInstalled('sh', { PATH: '/nowhere' })).toBe(false);
});
