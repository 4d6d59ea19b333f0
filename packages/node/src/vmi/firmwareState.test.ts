import { chmod, mkdir, mkdtemp, readdir, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { STATE_VOLUME } from '@vireo/api/kinds/kubevirt/backendStorage.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NodeContext } from '../context.ts';
import { allow, type Grant } from '../guests/grants.ts';
import { nodeLayout } from '../libvirtd/layout.ts';
import { podIn, vmiIn } from '../testing/objects.ts';
import { vmiFiles } from './files.ts';
import { type FirmwareState, firmwareState } from './firmwareState.ts';
import { setUpTpm } from './tpm.ts';

const GUEST = { uid: 1_966_000_001, gid: 1_966_000_000 };

describe.skipIf(process.getuid?.() !== 0)('the state of firmware on a volume that guests may write to', () => {
  let home: string;
  let volume: string;
  let theirs: string;
  beforeEach(async () => {
    // In swtpm's options, a comma would end the path.
    home = await mkdtemp(join(tmpdir(), 'vireo-state-a,b-'));
    [volume, theirs] = [join(home, 'volume'), join(home, 'theirs')];
    for (const each of [volume, theirs, join(home, 'machine')]) await mkdir(each);
    await writeFile(join(theirs, 'vars.fd'), 'secret', { mode: 0o600 });
  });
  afterEach(() => rm(home, { recursive: true }));

  const state = async (
    kind: 'nvram' | 'tpm',
    { hasUser = true, version = { major: 9, minor: 0, release: 0 } } = {},
  ): Promise<FirmwareState> => {
    const vmi = vmiIn('Scheduled', {}, {
      domain: {
        firmware: kind === 'nvram' ? { bootloader: { efi: { persistent: true, secureBoot: false } } } : {},
        devices: kind === 'tpm' ? { tpm: { persistent: true } } : {},
      },
    } as never);
    const volumes = [{ name: STATE_VOLUME, persistentVolumeClaim: { claimName: 'state' } }];
    const plain = podIn('Pending');
    const pod = { ...plain, spec: { ...plain.spec, volumes } } as typeof plain;
    const files = vmiFiles({ ...nodeLayout(home, true), vmis: home, run: join(home, 'run') }, 'machine', GUEST);
    const context = {
      host: { architecture: 'amd64' },
      libvirt: { calls: { version: async () => version } },
      users: { grant: (_: string, grant: Grant) => allow(grant, GUEST.uid) },
    } as unknown as NodeContext;
    const claims = { claimDirectory: async () => volume };
    return firmwareState(vmi, pod, files, claims, hasUser ? { user: GUEST, context } : undefined);
  };

  it.each<[kind: 'nvram' | 'tpm', string]>([
    ['nvram', 'nvram'],
    ['tpm', 'swtpm'],
    ['tpm', 'swtpm/tpm2'],
  ])('%s: a link at %s is not followed', async (kind, name) => {
    if (name.includes('/')) await mkdir(join(volume, 'swtpm'));
    await symlink(theirs, join(volume, name));
    await expect(state(kind)).rejects.toThrow(`${join(volume, name)} is a symbolic link: put a directory in its place`);
    if (!name.includes('/')) await expect(state(kind, { hasUser: false })).rejects.toThrow('is a symbolic link');
    expect(await readdir(theirs)).toEqual(['vars.fd']);
    expect(await stat(theirs)).toMatchObject({ uid: 0 });
  });

  it('a link in the place of variables is not followed, nor where they are written first', async () => {
    const nvram = join(volume, 'nvram');
    await mkdir(nvram);
    await symlink(join(theirs, 'vars.fd'), join(nvram, 'vars.fd'));
    await expect(state('nvram')).rejects.toThrow('vars.fd is a symbolic link');
    await expect(state('nvram', { hasUser: false })).rejects.toThrow('vars.fd is not a file');
    await rm(join(nvram, 'vars.fd'));
    await symlink(join(theirs, 'vars.fd'), join(nvram, 'vars.fd.new'));
    expect(await state('nvram')).toEqual({ nvram: join(nvram, 'vars.fd') });
    expect(await stat(join(nvram, 'vars.fd'))).toMatchObject({ uid: GUEST.uid, mode: 0o100600 });
    expect(await stat(join(theirs, 'vars.fd'))).toMatchObject({ uid: 0, size: 'secret'.length });
  });

  it('a TPM is made there, whatever the path', async () => {
    const { tpm } = await state('tpm');
    expect(tpm?.state).toBe(join(volume, 'swtpm/tpm2'));
    const made = await stat(join(volume, 'swtpm/tpm2/tpm2-00.permall'));
    expect([made.uid, (await stat(join(volume, 'swtpm/tpm2'))).uid]).toEqual([GUEST.uid, GUEST.uid]);
    expect((await stat(join(volume, 'swtpm'))).uid).toBe(0);
  });

  it('a guest without a user of its own has the TPM of libvirt', async () => {
    expect(await state('tpm', { hasUser: false })).toEqual({});
    const { tpm } = vmiFiles({ ...nodeLayout(home, true), vmis: home, run: join(home, 'run') }, 'machine');
    expect(await readlink(tpm)).toBe(join(volume, 'swtpm'));
  });

  it('a libvirt that knows no TPM of ours is named', async () => {
    const version = { major: 8, minor: 0, release: 0 };
    await expect(state('tpm', { version })).rejects.toMatchObject({
      reason: 'CreateContainerConfigError',
      message: expect.stringMatching(/libvirt 8\.0\.0 is too old .* install libvirt 9\.0 or newer/),
    });
  });

  it('programs that do not end are ended', async () => {
    const path = process.env.PATH;
    const program = join(home, 'swtpm_setup');
    await writeFile(program, '#!/bin/sh\nsleep 600\n');
    await chmod(program, 0o755);
    process.env.PATH = `${home}:${path}`;
    try {
      await expect(setUpTpm(volume, 'shop/web', 300)).rejects.toThrow('swtpm_setup: it took longer than 0.3 s');
    } finally {
      process.env.PATH = path;
    }
  });
});
