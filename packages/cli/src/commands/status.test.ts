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
  expect(stdout).toBe(`No server is running on ${home}. To start one: vireo up --home ${home}\n`);
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
      'with VMs',
      { node, vms: { running: 2, total: 3 } },
      [
        ['node', 'host, ready'],
        ['guests', 'accelerated by KVM'],
        ['libvirt', '9.0.0'],
        ['VMs', '2 of 3 running'],
        ['disk use', '2.0 GB'],
      ],
    ],
    [
      'with plug-ins of hypervisors',
      {
        plugins: [
          { plugin: 'sample', version: '1.0.0', hypervisors: ['sample'] },
          { plugin: 'turbo', hypervisors: [], problem: 'does not register a hypervisor' },
        ],
      },
      [
        ['plug-in', 'sample, provides sample'],
        ['plug-in', 'turbo is not used: does not register a hypervisor'],
      ],
    ],
    [
      'that emulates',
      { node: { ...node, virtualization: 'emulation' } },
      [['guests', 'emulated, because KVM is not available']],
    ],
    [
      'whose guests have addresses',
      { node: { ...node, network: { kind: 'routed', message: 'guests have addresses of 10.244.0.0/24' } } },
      [['network', 'routed: guests have addresses of 10.244.0.0/24']],
    ],
    [
      'whose guests have no good network',
      {
        node: { ...node, network: { kind: 'user', message: 'nft is missing', exposure: 'open', firewall: 'Docker' } },
      },
      [
        ['network', 'user networking, because nft is missing'],
        ['exposure', 'open'],
        ['firewall', 'Docker'],
      ],
    ],
    [
      'whose libvirt is away',
      { node: { ...node, ready: false, problem: 'libvirtd does not answer' } },
      [['node', 'host, not ready: libvirtd does not answer']],
    ],
    ['of the API alone', { apiOnly: true }, [['VMs', 'none: the server was started with --api-only']]],
  ])('%s', (_, change, rows) => {
    const lines = statusText({ ...running, ...change }).split('\n');
    expect(lines[0]).toBe('A server is running on /h');
    for (const [name, value] of rows) expect(lines).toContain(`  ${name.padEnd(12)}${value}`);
  });
});

it.each<[string, Partial<Status>, string]>([
  ['guests', { guests: ['a/b'] }, 'No server is running on /h, but 1 VM is still running: a/b\n'],
  ['many guests', { guests: ['a/b', 'a/c'] }, 'but 2 VMs are still running: a/b, a/c\n'],
  ['libvirtd', { libvirtdPid: 12 }, 'No server is running on /h, but its libvirtd is (pid 12).'],
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
