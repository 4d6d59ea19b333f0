import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { imageCache } from '@vireo/cli/imageCache.ts';
import { testPki } from '@vireo/kube/testing/pki.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isoImage } from '../iso9660.ts';
import { buildGuestImage } from './buildGuestImage.ts';
import { runCommand } from './command.ts';
import { QemuGuest } from './testing/qemu.ts';

const directory = mkdtempSync(join(tmpdir(), 'vireo-guest-'));
let image: string;

beforeAll(async () => {
  const steps = new Set<string>();
  // Where `vireo up` keeps it: the guests of other tests need not wait for a second one.
  const cacheDir = imageCache(directory);
  image = await buildGuestImage({ cacheDir, onProgress: ({ step }) => void steps.add(step) });
  console.log([...steps].join('; '));
}, 180_000);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Writes what the guest reads at boot to a CD-ROM of its own. */
function volume(name: string, volumeLabel: string, files: Record<string, string>): string {
  const path = join(directory, `${name}.iso`);
  writeFileSync(path, isoImage({ volumeLabel, files }));
  return path;
}

const drive = (id: string, file: string) => ['-drive', `id=${id},if=none,format=raw,snapshot=on,file=${file}`];
const cdrom = (id: string, file: string) => ['-drive', `id=${id},if=none,format=raw,media=cdrom,file=${file}`];
const network = ['-netdev', 'user,id=net', '-device', 'virtio-net-pci,netdev=net,mac=52:54:00:12:34:56'];

const listen = async (server: Server): Promise<number> => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
};

const sayBootTime = (title: string, guest: QemuGuest) =>
  console.log(`${title}: login prompt after ${guest.secondsToLogin?.toFixed(1)} s`);

describe('the guest image', () => {
  it('boots from a virtio disk and does what a NoCloud volume says', { timeout: 180_000 }, async () => {
    const pki = testPki();
    const { certificate: cert, key } = pki.server;
    await using http = createServer((_, response) => response.end('came by http'));
    await using https = createTlsServer({ cert, key }, (_, response) => response.end('came by https'));
    const [httpPort, httpsPort] = [await listen(http), await listen(https)];
    const seed = volume('nocloud', 'cidata', {
      'meta-data': JSON.stringify({ 'instance-id': 'one', 'local-hostname': 'from-metadata' }),
      'user-data': `#cloud-config
hostname: web-1
password: "pa ss'word"
chpasswd: { expire: false, list: ["root:toor"] }
users:
  - default
  - name: bob
    groups: [wheel, audio]
    plain_text_passwd: builder
    ssh_authorized_keys:
      - ssh-ed25519 AAAAbob bob@example.com
write_files:
  - path: /etc/motto
    permissions: '0640'
    content: |
      first line
        second: "line" # as it is
  - path: /etc/binary
    encoding: b64
    content: ${Buffer.from('a\\b\tc\n').toString('base64')}
  - { path: /etc/ca.pem, content: ${JSON.stringify(pki.ca)} }
bootcmd:
  - echo "early" > /run/early
  - echo "10.0.2.2 vireo.test" >> /etc/hosts
runcmd:
  - echo "ran in $(hostname)" | tee -a /var/run-count
  - [sh, -c, "echo 'one two' > /run/list"]
`,
    });
    const data = join(directory, 'data.img');
    writeFileSync(data, Buffer.alloc(16 << 20));
    await using guest = new QemuGuest([
      ...[...drive('root', image), '-device', 'virtio-blk-pci,drive=root,bootindex=1'],
      ...[...drive('data', data), '-device', 'virtio-blk-pci,drive=data'],
      ...[...cdrom('seed', seed), '-device', 'ide-cd,drive=seed'],
      ...network,
    ]);
    await guest.expectAll('web-1 login:', 'ran in web-1', 'vireo: boot complete after');
    sayBootTime('virtio', guest);
    expect(await guest.askAgent('guest-ping')).toEqual({});

    guest.type('\n');
    await guest.expect('web-1 login:');
    await guest.logIn('vireo', "pa ss'word");
    expect(await guest.run('doas cat /etc/motto')).toBe('first line\n  second: "line" # as it is');
    expect(await guest.run('stat -c %a /etc/motto')).toBe('640');
    expect(await guest.run('od -c /etc/binary | head -n 1')).toMatch(/a\s+\\\s+b\s+\\t\s+c\s+\\n/);
    expect(await guest.run('cat /run/early /run/list')).toBe('early\none two');
    expect(await guest.run('id bob')).toMatch(/groups=.*wheel.*audio/);
    expect(await guest.run('sudo cat /home/bob/.ssh/authorized_keys')).toBe('ssh-ed25519 AAAAbob bob@example.com');
    expect(await guest.run('ip -4 -o addr show eth0')).toContain('10.0.2.15/24');

    const interfaces = JSON.stringify(await guest.askAgent('guest-network-get-interfaces'));
    expect(interfaces).toContain('52:54:00:12:34:56');
    expect(interfaces).toContain('10.0.2.15');
    expect(JSON.stringify(await guest.askAgent('guest-get-users'))).toContain('"user":"vireo"');
    expect(JSON.stringify(await guest.askAgent('guest-get-fsinfo'))).toContain('"mountpoint":"/"');

    expect(await guest.run(`wget -qO- http://vireo.test:${httpPort}`)).toBe('came by http');
    const secure = `https://vireo.test:${httpsPort}`;
    expect(await guest.run(`wget -qO- --ca-certificate=/etc/ca.pem ${secure}`)).toContain('came by https');
    expect(await guest.run(`wget -nv -O- ${secure} 2>&1 || true`)).toContain("doesn't have a known issuer");

    expect(await guest.run('sudo -i pwd')).toBe('/root');
    await guest.run('sudo -v && sudo -k');
    expect(await guest.run('sudo -E id -u')).toBe('0');
    // Without /usr/sbin, as in a command by SSH.
    await guest.run(
      'PATH=/usr/bin; sudo mkfs.ext4 -q /dev/vdb && sudo mount /dev/vdb /mnt && sudo touch /mnt/kept && sudo umount /mnt',
    );
    await guest.run('sudo mount /dev/vdb /mnt && ls /mnt/kept');

    // Another boot of the same instance: files are there, and what runs once has run once.
    guest.type('sudo reboot\n');
    await guest.expect('vireo: going down');
    await guest.expect('vireo: boot complete after');
    guest.type('\n');
    await guest.expect('web-1 login:');
    await guest.logIn('root', 'toor', '# ');
    expect(guest.output.split('ran in web-1')).toHaveLength(2);

    await guest.pressPowerButton();
    await guest.expect('vireo: going down');
    await guest.ended();
  });

  it('boots from a SCSI disk and runs a script from a config drive', { timeout: 180_000 }, async () => {
    const seed = volume('configdrive', 'config-2', {
      'openstack/latest/meta_data.json': JSON.stringify({
        uuid: 'two',
        hostname: 'drive.example.com',
        public_keys: { mykey: 'ssh-ed25519 AAAAkey me@example.com' },
      }),
      'openstack/latest/user_data': '#!/bin/sh\necho "script in $(hostname)"\n',
    });
    await using guest = new QemuGuest([
      ...['-device', 'virtio-scsi-pci', ...drive('root', image), '-device', 'scsi-hd,drive=root'],
      ...[...cdrom('seed', seed), '-device', 'scsi-cd,drive=seed'],
      ...network,
    ]);
    await guest.expectAll('drive login:', 'script in drive', 'vireo: boot complete after');
    sayBootTime('SCSI', guest);
    guest.type('\n');
    await guest.expect('drive login:');
    await guest.logIn('vireo', 'vireo');
    expect(await guest.run('cat .ssh/authorized_keys')).toBe('ssh-ed25519 AAAAkey me@example.com');
  });

  it('boots from a SATA disk without user data, and grows with the disk', { timeout: 180_000 }, async () => {
    const large = join(directory, 'large.qcow2');
    await runCommand('qemu-img', ['create', '-q', '-f', 'qcow2', '-F', 'raw', '-b', image, large, '3G']);
    const root = ['-drive', `id=root,if=none,format=qcow2,file=${large}`, '-device', 'ide-hd,drive=root'];
    await using guest = new QemuGuest(root);
    await guest.expect('vireo login:');
    sayBootTime('SATA', guest);
    await guest.logIn('vireo', 'vireo');
    expect(await guest.run('cat /sys/class/block/sda2/size')).toBe(String(3 * 2 ** 21 - 56 * 2 ** 11));
    expect(Number(await guest.run("df -m / | awk 'END { print $2 }'"))).toBeGreaterThan(2_600);
    guest.type('sudo poweroff\n');
    await guest.ended();
  });
});
