import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { TestLibvirtd } from '@vireo/libvirt/testing/libvirtd.ts';
import { describe, expect, it } from 'vitest';
import { withNote } from './guestNetwork.ts';
import { backendRefusal, type PasstState, probePasst, whyNoPasst } from './passt.ts';

describe('guests without addresses of their own do not use passt', () => {
  it.each<[string, PasstState, string | undefined]>([
    ['where it is not installed, which needs no words', { isInstalled: false, libvirtVersion: '' }, undefined],
    [
      'where libvirt does not accept it',
      { isInstalled: true, libvirtVersion: '9.0.0', refusal: 'Invalid value' },
      'passt is installed, but libvirt 9.0.0 does not accept it (Invalid value)',
    ],
    [
      'where libvirt accepts it, because of the loopback addresses of the host',
      { isInstalled: true, libvirtVersion: '11.3.0' },
      'passt is installed, but libvirt 11.3.0 cannot have it keep guests from the loopback addresses of this host (--no-map-gw)',
    ],
  ])('%s', (_, state, words) => {
    expect(whyNoPasst(state)).toBe(words);
  });

  it('and the network says so', () => {
    const network = { describe: () => ({ kind: 'user', reason: 'NoTun', message: 'no tun' }) as const };
    expect(withNote(network, 'passt is new').describe().message).toBe('no tun; passt is new');
    expect(withNote(network, undefined).describe().message).toBe('no tun');
  });
});

it('libvirt is asked whether it accepts passt, by trying', async () => {
  await using daemon = await startDaemon();
  const libvirt = await daemon.connect({ uri: 'test:///default' });
  try {
    expect(await backendRefusal(libvirt, 'none-such')).toContain('none-such');
    expect(await backendRefusal(libvirt)).toBeUndefined();
    expect((await libvirt.listDomains()).map(({ name }) => name)).toEqual(['test']);
  } finally {
    await libvirt.close();
  }
  const directory = await mkdtemp(join(tmpdir(), 'vireo-passt-'));
  try {
    expect(await probePasst(daemon.socket, directory)).toEqual({ isInstalled: false, libvirtVersion: '' });
    await writeFile(join(directory, 'passt'), '', { mode: 0o755 });
    const { refusal, libvirtVersion } = await probePasst(daemon.socket, `/nowhere:${directory}`);
    expect(libvirtVersion).toMatch(/^\d+\.\d+\.\d+$/);
    // The same as virsh is told.
    const xml = join(directory, 'domain.xml');
    await writeFile(
      xml,
      '<domain type="test"><name>x</name><memory>1024</memory><os><type>hvm</type></os><devices><interface type="user"><backend type="passt"/></interface></devices></domain>',
    );
    const answer = await promisify(execFile)('virsh', ['-c', 'test:///default', 'define', xml]).then(
      () => undefined,
      ({ stderr }: { stderr: string }) => stderr,
    );
    if (answer === undefined) expect(refusal).toBeUndefined();
    else expect(answer).toContain(refusal);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

async function startDaemon() {
  const daemon = await TestLibvirtd.start();
  return Object.assign(daemon, { [Symbol.asyncDispose]: () => daemon.stop() });
}
