import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runVireo } from '../testing/vireoProcess.ts';
import { type Status, statusText } from './statusText.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'vireo-status-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

it('says that no server runs, with exit code 1', async () => {
  const { code, stdout, stderr } = await runVireo(['status', '--home', home]);
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(stdout).toBe(`No server runs on ${home}. Start one with: vireo up --home ${home}\n`);
});

it('says so on a home that does not exist, without making it', async () => {
  const { code, stdout } = await runVireo(['status', '-o', 'json'], { VIREO_HOME: join(home, 'none') });
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toEqual({
    home: join(home, 'none'),
    running: false,
    ready: false,
    guests: [],
    diskBytes: 0,
  });
});

describe('a running server is shown as rows', () => {
  const running: Status = { home: '/h', running: true, ready: true, pid: 7, port: 6443, guests: [], diskBytes: 2e9 };
  const node = { name: 'host', ready: true, virtualization: 'kvm', libvirt: '9.0.0' } as const;

  it.each<[string, Partial<Status>, [string, string][]]>([
    [
      'that starts',
      { ready: false, port: undefined, problems: ['it is still starting'] },
      [
        ['ready', 'no: it is still starting'],
        ['port', 'not yet'],
      ],
    ],
    [
      'with machines',
      { node, machines: { running: 2, total: 3 } },
      [
        ['node', 'host, ready'],
        ['guests run', 'on KVM'],
        ['libvirt', '9.0.0'],
        ['machines', '2 of 3 running'],
        ['disk use', '2.0 GB'],
      ],
    ],
    [
      'with plug-ins of hypervisors',
      {
        plugins: [
          { plugin: 'sample', version: '1.0.0', hypervisors: ['sample'] },
          { plugin: 'turbo', hypervisors: [], problem: 'registers no hypervisor' },
        ],
      },
      [
        ['plug-in', 'sample, brings sample'],
        ['plug-in', 'turbo is not used: registers no hypervisor'],
      ],
    ],
    [
      'that emulates',
      { node: { ...node, virtualization: 'emulation' } },
      [['guests run', 'by emulation, for KVM cannot be used']],
    ],
    [
      'whose libvirt is away',
      { node: { ...node, ready: false, problem: 'libvirtd does not answer' } },
      [['node', 'host, not ready: libvirtd does not answer']],
    ],
    ['of the API alone', { apiOnly: true }, [['machines', 'none: it was started with --api-only']]],
  ])('%s', (_, change, rows) => {
    const lines = statusText({ ...running, ...change }).split('\n');
    expect(lines[0]).toBe('A server runs on /h');
    for (const [name, value] of rows) expect(lines).toContain(`  ${name.padEnd(12)}${value}`);
  });
});

it.each<[string, Partial<Status>, string]>([
  ['guests', { guests: ['a/b'] }, 'No server runs on /h, but 1 machine still runs: a/b\n'],
  ['many guests', { guests: ['a/b', 'a/c'] }, 'but 2 machines still run: a/b, a/c\n'],
  ['libvirtd', { libvirtdPid: 12 }, 'No server runs on /h, but its libvirtd does (pid 12).'],
])('without a server %s are told of, and how to end them', (_, left, says) => {
  const text = statusText({ home: '/h', running: false, ready: false, guests: [], diskBytes: 0, ...left });
  expect(text).toContain(says);
  expect(text).toContain('vireo down --home /h');
});

it('kubeconfig prints the path when the file is there, and says what makes it when not', async () => {
  expect(await runVireo(['kubeconfig', '--home', home])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('vireo up'),
  });
  writeFileSync(join(home, 'kubeconfig'), '');
  expect(await runVireo(['kubeconfig', '--home', home])).toMatchObject({ code: 0, stdout: `${home}/kubeconfig\n` });
});
