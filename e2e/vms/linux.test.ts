import { chown, mkdir, readdir, readFile, readlink, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseExposition } from '@vireo/kube/testing/parseExposition.ts';
import { describe, expect, it, vi } from 'vitest';
import { runVireo } from '../vireo.ts';
import { useVms } from './fixture.ts';
import { linux } from './manifests.ts';

const { kubectl, vireo, console, create, uidOf, untilStatus, clear, home, server } = useVms();

const USER_DATA = (name: string): string => `#cloud-config
hostname: ${name}
password: "it's \\"a\\" secret"
chpasswd: { expire: false }
write_files:
  - path: /etc/arrived
    content: |
      <data> for & '${name}'
`;

/** Volumes that a guest gets as directories. */
const SHARED = [
  { name: 'conf', configMap: { name: 'conf' } },
  { name: 'keys', secret: { secretName: 'settings' } },
  { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
];

/** A disk with metrics of its node. */
const METRICS = [{ name: 'metrics', downwardMetrics: {} }];

/** A VM on the pod network, told by cloud-init what to be. */
const told = (name: string, settings: object, shared: typeof SHARED = [], metrics: typeof METRICS = []): string =>
  linux(name, settings, {
    devices: {
      disks: ['root', 'settings', ...metrics.map(() => 'metrics')].map((disk) => ({
        name: disk,
        disk: { bus: 'virtio' },
      })),
      ...(metrics.length > 0 && { downwardMetrics: {} }),
      filesystems: shared.map((volume) => ({ name: volume.name, virtiofs: {} })),
      interfaces: [{ name: 'default', masquerade: {} }],
    },
    volumes: [{ name: 'settings', ...settings }, ...shared, ...metrics],
    spec: { networks: [{ name: 'default', pod: {} }] },
  });

/** Runs a script in a guest through its agent. */
const run = async (name: string, script: string): Promise<string> =>
  (await runVireo(['exec', name, '--kubeconfig', server().kubeconfig, '--', 'sh', '-c', script])).output;

/** The processes that serve the directories of a VM, as its node has noted them. */
const servers = async (name: string): Promise<{ name: string; pid: number }[]> =>
  JSON.parse(await readFile(join(home(), 'machines', await uidOf(name), 'virtiofsd.json'), 'utf8'));

describe('a Linux guest', () => {
  it('boots to its login prompt, with what cloud-init was given', async () => {
    await kubectl.do(
      `patch kubevirt kubevirt -n kubevirt --type merge -p '${JSON.stringify({
        spec: {
          configuration: {
            developerConfiguration: { featureGates: ['EnableVirtioFsStorageVolumes', 'HostDisk', 'DownwardMetrics'] },
          },
        },
      })}'`,
    );
    await create(
      JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'conf' }, data: { greeting: 'hello' } }),
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '8Mi' } } },
      }),
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'settings' },
        stringData: { userdata: USER_DATA('drive') },
      }),
      told('cloud', { cloudInitNoCloud: { userData: USER_DATA('cloud') } }, SHARED, METRICS),
      told('drive', { cloudInitConfigDrive: { secretRef: { name: 'settings' } } }),
    );
    await Promise.all(
      ['cloud', 'drive'].map(async (name) => {
        const session = await console(name);
        session.type('\r');
        await session.until(new RegExp(`${name} login:`));
        session.type('vireo\r');
        await session.until(/Password:/);
        session.type('it\'s "a" secret\r');
        await session.until(/[$#] /);
        session.type('cat /etc/arrived; echo "on $(hostname)"\r');
        const text = await session.until(new RegExp(`on ${name}\r?\n`));
        expect(text).toContain(`<data> for & '${name}'`);
        await session.close();
      }),
    );
  }, 240_000);

  it('tells of itself through its agent', async () => {
    await kubectl.do('wait vmi/cloud vmi/drive --for=condition=AgentConnected --timeout=120s');
    await kubectl.until('get vmi cloud -o jsonpath={.status.guestOSInfo.id}', /\w/);
    await kubectl.until('get vmi cloud -o jsonpath={.status.interfaces[0].ipAddress}', /^\d+\.\d+\.\d+\.\d+$/);
    const info = JSON.parse(await vireo('guestosinfo cloud')) as { hostname: string; os: { id: string } };
    expect(info).toMatchObject({ hostname: 'cloud', os: { id: expect.stringMatching(/\w/) } });
    expect(JSON.parse(await vireo('userlist cloud'))).toMatchObject({ items: expect.any(Array) });
    const filesystems = JSON.parse(await vireo('fslist cloud')) as { items: { mountPoint: string }[] };
    expect(filesystems.items.map(({ mountPoint }) => mountPoint)).toContain('/');
    // Guests are asked in the background: the first who looks sees nothing of it yet.
    await vi.waitFor(
      async () => {
        const metrics = parseExposition((await kubectl.run('get --raw /metrics')).stdout);
        const labelsOf = (name: string): unknown[] =>
          (metrics.get(`kubevirt_vmi_${name}`)?.samples ?? [])
            .filter(({ labels, value }) => labels.name === 'cloud' && value > 0)
            .map(({ labels }) => labels);
        expect(labelsOf('filesystem_capacity_bytes')).toContainEqual(expect.objectContaining({ mount_point: '/' }));
        for (const name of ['network_receive_bytes_total', 'network_transmit_bytes_total'])
          expect(labelsOf(name)).toEqual([expect.objectContaining({ interface: 'default' })]);
        for (const name of ['memory_available_bytes', 'memory_usable_bytes', 'memory_unused_bytes'])
          expect(labelsOf(name), name).toHaveLength(1);
      },
      { timeout: 60_000, interval: 1_000 },
    );
  }, 180_000);

  it('is told of its node on a disk, and on a port', async () => {
    const node = (await kubectl.run('get vmi cloud -o jsonpath={.status.nodeName}')).stdout;
    const host = new RegExp(`<name>HostName</name>\\s*<value>${node}</value>`);
    // What it has read once it would not read again.
    const disk = 'echo 3 > /proc/sys/vm/drop_caches; dd if=/dev/vdc bs=4k count=4 2>/dev/null | tr -d "\\000"';
    await vi.waitFor(async () => expect(await run('cloud', disk)).toMatch(host), { timeout: 20_000, interval: 500 });
    const time = async () => Number(/<name>Time<\/name>\s*<value>(\d+)/.exec(await run('cloud', disk))?.[1]);
    const first = await time();
    await vi.waitFor(async () => expect(await time()).toBeGreaterThan(first), { timeout: 20_000, interval: 500 });
    const port = `
      name=$(grep -l org.github.vhostmd.1 /sys/class/virtio-ports/*/name)
      exec 3<>/dev/$(basename $(dirname $name))
      printf 'GET /metrics/XML\\n\\n' >&3
      while read -r line <&3 && [ "$line" ]; do echo "$line"; done`;
    const answer = await run('cloud', port);
    expect(answer).toMatch(host);
    expect(answer).toMatch(/<metric type="uint64" context="vm">\s*<name>ResourceProcessorLimit<\/name>\s*<value>1</);
  }, 60_000);

  it('has a ConfigMap, a Secret and a claim as directories', async () => {
    // What guests do with files: their own users own them, links lead nowhere but into the guest, devices are nobody's.
    const script = `
      for name in conf keys data; do mkdir /mnt/$name && mount -t virtiofs $name /mnt/$name; done
      cat /mnt/conf/greeting; stat -Lc " %a %u" /mnt/keys/userdata; grep hostname /mnt/keys/userdata
      touch /mnt/conf/new 2>&1; rm /mnt/keys/userdata 2>&1
      cd /mnt/data; echo kept > file; chown 1000:1000 file; ln -s /etc/hostname link; mkdir d; mv file d
      stat -c "%u:%g" d/file; cat link ../../etc/hostname
      mknod disk b 254 0 2>&1
      umount /mnt/conf`;
    expect((await run('cloud', script)).trim().split('\n')).toEqual([
      'hello 400 0',
      'hostname: drive',
      expect.stringMatching(/Read-only file system$/),
      expect.stringMatching(/Read-only file system$/),
      '1000:1000',
      'cloud',
      'cloud',
      expect.stringMatching(/Operation not permitted$/),
    ]);
    const [volume = ''] = await readdir(join(home(), 'volumes'));
    const files = join(home(), 'volumes', volume, 'shared/files');
    expect(await readFile(join(files, 'd/file'), 'utf8')).toBe('kept\n');
    if (process.getuid?.() === 0) {
      const [root, user] = await Promise.all([stat(files), stat(join(files, 'd/file'))]);
      expect(root.uid).toBeGreaterThan(65_536);
      expect(user.uid).toBe(root.uid + 1000);
    }
  }, 60_000);

  it('is served by processes that reach nothing but its directories', async () => {
    const serving = await servers('cloud');
    expect(serving).toHaveLength(3);
    for (const { pid, name } of serving) {
      const [child = 0] = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ').map(Number);
      const status = await readFile(`/proc/${child}/status`, 'utf8');
      expect(status, name).toMatch(/^NoNewPrivs:\t1$/m);
      expect(status, name).toMatch(/^Seccomp:\t2$/m);
      if (process.getuid?.() === 0) expect(status, name).not.toMatch(/^[UG]id:.*\t0\b/m);
      // Its root is the share, and its user and network namespaces are not ours.
      expect(await readdir(`/proc/${child}/root`), name).not.toContain('etc');
      for (const kind of ['user', 'net', 'pid', 'mnt'])
        expect(await readlink(`/proc/${child}/ns/${kind}`), kind).not.toBe(await readlink(`/proc/self/ns/${kind}`));
    }
    await kubectl.do('wait vmi/cloud --for=condition=FilesystemsReady --timeout=30s');
    const lost = serving.find(({ name }) => name === 'conf');
    if (!lost) throw new Error('nobody serves conf');
    process.kill(lost.pid, 'SIGKILL');
    await kubectl.do('wait vmi/cloud --for=condition=FilesystemsReady=False --timeout=30s');
    await kubectl.do(`wait pod -l vm.kubevirt.io/name=cloud --for=condition=ContainersReady=False --timeout=30s`);
    expect(await kubectl('get pods -l vm.kubevirt.io/name=cloud')).toMatch(/ 3\/4 /);
    expect(await kubectl('events --for vmi/cloud')).toMatch(/Warning +VirtiofsdExited .*filesystem "conf" has exited/);
  }, 60_000);

  it('gets a directory of its node while it runs, and loses it again', async () => {
    const directory = join(home(), '..', `${basename(home())}-shared`);
    await mkdir(directory);
    try {
      // Somebody's, who is not root: the guest's root is that user in it.
      if (process.getuid?.() === 0) await chown(directory, 1234, 1234);
      expect(await vireo(`mount cloud ${directory} mine --at /mnt/mine`)).toBe(
        `${directory} is shared with VM cloud as mine, at /mnt/mine in the guest`,
      );
      expect(await vireo('mount cloud')).toMatch(/^NAME +DIRECTORY +ACCESS\nmine +\/.*-shared +read-write$/);
      await run('cloud', 'echo made > /mnt/mine/file; umount /mnt/mine');
      expect(await readFile(join(directory, 'file'), 'utf8')).toBe('made\n');
      if (process.getuid?.() === 0) expect((await stat(join(directory, 'file'))).uid).toBe(1234);
      expect(await vireo('umount cloud mine')).toBe('mine is no longer shared with VM cloud');
    } finally {
      await rm(directory, { recursive: true });
    }
    expect(await vireo('mount drive /usr')).toMatch(/without shared memory.*vireo\.io\/shared-memory: "true"/);
  }, 60_000);

  it('shuts down in order when it is stopped', async () => {
    expect(await vireo('stop cloud')).toBe('VM cloud was scheduled to stop');
    const serving = await servers('cloud');
    // Two from its start, and the one that was mounted.
    expect(serving).toHaveLength(3);
    await untilStatus('cloud', 'Stopped');
    for (const { pid } of serving) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(await kubectl('events --for vmi/cloud')).toMatch(
      /Normal +Stopped .*The VirtualMachineInstance was shut down\./,
    );
  }, 120_000);

  it('is gone with all that it left', clear, 120_000);
});
