import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PersistentVolumeClaim } from '@vireo/api';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startVmServer, type VmServer } from '../../../testing/vmServer.ts';
import { chooseDrive, type DriveOwner, drivesOf } from './drives.ts';
import { claimNameFor } from './inject.ts';
import { driveRow, ownersOf } from './list.ts';

type Spec = VirtualMachineInstance['spec'];

const spec = (drives: Readonly<Record<string, string | undefined>>): Spec => ({
  domain: {
    memory: { guest: '64Mi' },
    devices: { disks: Object.keys(drives).map((name) => ({ name, cdrom: { bus: 'sata' } })) },
  },
  volumes: Object.entries(drives).flatMap(([name, claimName]) =>
    claimName ? [{ name, persistentVolumeClaim: { claimName, hotpluggable: true } }] : [],
  ),
});
const owner = (drives: Record<string, string | undefined>, status?: VirtualMachineInstance['status']): DriveOwner => ({
  name: 'web',
  spec: spec(drives),
  ...(status && {
    vmi: { apiVersion: 'v1', kind: 'VirtualMachineInstance', metadata: { name: 'web' }, spec: spec(drives), status },
  }),
});

it.each([
  ['web', '/tmp/Windows 11 (x64).ISO', 'web-windows-11-x64'],
  ['web', 'drivers.img.gz', 'web-drivers'],
  ['web', `${'a'.repeat(80)}.iso`, `web-${'a'.repeat(59)}`],
])('the disc of %s from %s is kept on the claim %s', (vm, file, claim) => {
  expect(claimNameFor(vm, file)).toBe(claim);
});

describe('which drive is meant', () => {
  it('is plain where there is one, and has to be said where there are more', () => {
    expect(chooseDrive(owner({ cd: 'iso' }), undefined)).toMatchObject({ name: 'cd', claim: 'iso' });
    expect(chooseDrive(owner({ a: undefined, b: undefined }), 'b').name).toBe('b');
    expect(() => chooseDrive(owner({ a: undefined, b: undefined }), undefined)).toThrow('several CD-ROM drives: a, b');
    expect(() => chooseDrive(owner({ a: undefined }), 'x')).toThrow('VM web has no CD-ROM drive x');
    expect(() => chooseDrive(owner({}), undefined)).toThrow('VM web has no CD-ROM drive');
  });
});

describe('the list', () => {
  const rows = (of: DriveOwner) => drivesOf(of).map((drive) => driveRow(of, drive));
  it('shows what is in drives, and what will be', () => {
    expect(rows(owner({ cd: 'iso' }))).toEqual([['web', 'cd', 'sata', '-', '(iso)', '-', '']]);
    const drive = { name: 'cd', target: 'sda', tray: 'closed' as const };
    const full = { cdromStatus: [{ ...drive, claimName: 'iso', size: 3 << 20 }] };
    expect(rows(owner({ cd: 'iso' }, full))).toEqual([['web', 'cd', 'sata', 'closed', 'iso', '3.0 MiB', '']]);
    const waits = { name: 'cd', target: 'sda', phase: 'Detaching', message: 'the guest has locked it' };
    expect(rows(owner({ cd: undefined }, { ...full, volumeStatus: [waits] }))).toEqual([
      ['web', 'cd', 'sata', 'closed', 'iso', '3.0 MiB', 'the guest has locked it'],
    ]);
    expect(rows(owner({ cd: undefined }, { cdromStatus: [drive] }))).toEqual([
      ['web', 'cd', 'sata', 'closed', '-', '-', ''],
    ]);
  });

  it('has VMs, and instances without one', () => {
    const metadata = { name: 'bare' };
    const bare = persisted({ apiVersion: 'v1', kind: 'x', metadata, spec: spec({ cd: undefined }) });
    expect(ownersOf([], [bare]).map(({ name }) => name)).toEqual(['bare']);
  });
});

describe('vireo cdrom', () => {
  let server: VmServer;
  let directory: string;
  const at = { namespace: 'default' };
  beforeAll(async () => {
    server = await startVmServer();
    directory = await mkdtemp(join(tmpdir(), 'vireo-discs-'));
    await writeFile(join(directory, 'a.iso'), 'disc');
    const { client } = server.installation.server;
    for (const name of ['one', 'two'])
      await client.of(PersistentVolumeClaim).create({
        metadata: { name, ...at },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
      });
    const template = { spec: spec({ cd: undefined }) };
    await client
      .of(VirtualMachine)
      .create({ metadata: { name: 'web', ...at }, spec: { runStrategy: 'Halted', template } });
  });
  afterAll(async () => {
    await server?.close();
    await rm(directory, { recursive: true });
  });
  const run = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await server.run('cdrom', ...args);
    return `${stdout}${stderr}${code === 0 ? '' : `exit code ${code}`}`;
  };

  it('inserts, exchanges and ejects discs of a VM that is off', async () => {
    expect(await run('list')).toMatch(/^VM .*\nweb +cd +sata +- +-/);
    expect(await run('inject', 'web', '--claim-name=one', '--dry-run')).toContain('Dry Run execution');
    expect(await run('inject', 'web', '--claim-name=one', '--wait')).toBe(
      'Successfully submitted inject request to VM web: claim one into CD-ROM drive cd\n' +
        'VM web is not running: the disc will be in the drive when it starts\n',
    );
    expect(await run('inject', 'web', '--claim-name=two')).toMatch(
      /CD-ROM drive cd of VM web is not empty: one is in it\n.*--replace.*\nexit code 1/,
    );
    expect(await run('inject', 'web', '--volume-name=cd', '--claim-name=two', '--replace')).toContain('claim two into');
    expect(await run('list', 'web')).toMatch(/\nweb +cd +sata +- +\(two\)/);
    expect(await run('eject', 'web', '--claim-name=one')).toMatch(
      /claim one is not in .*\nClaim two is in it\.\nexit code 1/,
    );
    expect(await run('eject', 'web', '--delete-claim')).toContain('PersistentVolumeClaim default/two deleted');
    expect(await run('eject', 'web')).toMatch(/the CD-ROM drive is empty[\s\S]*exit code 1/);
  }, 180_000);

  it('says what is missing', async () => {
    expect(await run('inject', 'web')).toMatch(/no disc given[\s\S]*--image-path/);
    expect(await run('inject', 'web', '--image-path', join(directory, 'b.iso'))).toMatch(
      /open .*b\.iso: no such file or directory/,
    );
    expect(await run('inject', 'web', '--claim-name=nowhere')).toMatch(
      /error injecting CD-ROM, Volume nowhere is not a DataVolume or PersistentVolumeClaim/,
    );
    expect(await run('inject', 'nobody', '--claim-name=one')).toMatch(/VM nobody not found in namespace default/);
  }, 180_000);
});
