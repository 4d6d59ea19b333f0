import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, httpTransport, loadKubeconfig } from '@vireo/kube';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Console } from './console.ts';
import { disc, installerDisc } from './discs.ts';
import { end, useVms } from './fixture.ts';

const { kubectl, vireo, console, create, home, server, startAgain, libvirtdPid, untilStatus } = useVms();

type Disk = Readonly<Record<string, unknown>>;
const ROOT: Disk = { name: 'root', disk: { bus: 'virtio' } };
const DRIVES: readonly Disk[] = [
  { name: 'cd', cdrom: { bus: 'sata' } },
  { name: 'cds', cdrom: { bus: 'scsi' } },
];
const inDrive = (name: string, claimName: string) => ({
  name,
  persistentVolumeClaim: { claimName, hotpluggable: true },
});
const LINUX = { name: 'root', containerDisk: { image: 'vireo/guest' } };
const linux = (volumes: readonly object[] = []) => ({
  domain: { memory: { guest: '256Mi' }, devices: { disks: [ROOT, ...DRIVES] } },
  volumes: [LINUX, ...volumes],
});
const object = (kind: string, name: string, spec: object): string =>
  JSON.stringify({ apiVersion: 'kubevirt.io/v1', kind, metadata: { name }, spec });
const vm = (name: string, spec: object, runStrategy = 'Always'): string =>
  object('VirtualMachine', name, { runStrategy, template: { spec } });

const file = (name: string): string => join(home(), `${name}.iso`);
const DISCS = ['red', 'blue', 'green'];

/** How long a guest on a busy host may take for a command. */
const GUEST_MS = 60_000;

/** The consoles of the two Linux guests, a VM's and an instance's without one. */
const shells: Record<string, Console> = {};

/** What a guest prints for a command, up to a mark that only its output has. */
async function inGuest(name: string, command: string, wanted: RegExp): Promise<void> {
  const shell = shells[name];
  if (!shell) throw new Error(`nobody is logged in on ${name}`);
  shell.type(`${command}; echo "fin""ished"\r`);
  const late = AbortSignal.timeout(GUEST_MS);
  await Promise.race([
    shell.until(new RegExp(`${wanted.source}.*finished`, 's')),
    once(late, 'abort').then(() => Promise.reject(new Error(`${name} does not answer ${wanted} to: ${command}`))),
  ]);
}

async function logIn(name: string): Promise<void> {
  const shell = await console(name);
  shells[name] = shell;
  shell.type('\r');
  await shell.until(/login:/);
  shell.type('vireo\r');
  await shell.until(/Password:/);
  shell.type('vireo\r');
  await shell.until(/[$#] /);
  // Which device belongs to which drive: `$sata` and `$scsi`. What is typed is not echoed any more.
  const find = (bus: string, path: string): string =>
    `${bus}=/dev/$(for d in /sys/block/sr*; do case $(readlink -f $d) in ${path}) basename $d;; esac; done)`;
  await inGuest(
    name,
    `stty -echo; ${find('sata', '*/ata*')}; ${find('scsi', '*virtio*')}; echo $sata $scsi`,
    /sr\d \S*sr\d/,
  );
}

/** A guest mounts the disc in a drive and reads it. The first try after a change may fail: the drive says that it changed. */
const mount = (drive: 'sata' | 'scsi'): string =>
  `until sudo mount -t iso9660 -o ro $${drive} /mnt 2> /dev/null; do sleep 0.2; done; cat /mnt/hello.txt`;
const reads = (name: string, drive: 'sata' | 'scsi', hello: string): Promise<void> =>
  inGuest(name, `${mount(drive)}; sudo umount /mnt`, new RegExp(`hello from ${hello}`));
const isEmpty = (name: string, drive: 'sata' | 'scsi'): Promise<void> =>
  inGuest(
    name,
    `until [ -b $${drive} ] && ! sudo dd if=$${drive} count=1 of=/dev/null 2> /dev/null; do sleep 0.2; done; echo no disc`,
    /no disc/,
  );

const cdroms = (name: string): string =>
  `get vmi ${name} -o "jsonpath={range .status.cdromStatus[*]}{.name}={.claimName}:{.tray} {end}"`;
const phases = (name: string): string =>
  `get vmi ${name} -o "jsonpath={range .status.volumeStatus[*]}{.name}={.phase}:{.reason} {end}"`;
const conditions = (kind: string, name: string): string =>
  `get ${kind} ${name} -o "jsonpath={range .status.conditions[*]}{.type}={.status}:{.reason} {end}"`;
async function edit(name: string, spec: object): Promise<void> {
  const patch = join(home(), 'patch.json');
  await writeFile(patch, JSON.stringify({ spec: { template: { spec } } }));
  await kubectl.do(`patch vm ${name} --type merge --patch-file ${patch}`);
}

beforeAll(async () => {
  for (const name of DISCS) await writeFile(file(name), disc(`hello from ${name}`));
  await writeFile(file('installer'), installerDisc());
  await writeFile(file('noise'), Buffer.alloc(1 << 20, 'no file system'));
  for (const name of DISCS) await vireo(`image-upload dv ${name} --size 1Mi --image-path ${file(name)}`);
}, 120_000);

describe('discs of VMs', () => {
  it('there are guests with drives: empty, and with a disc from the start', async () => {
    const bare = object('VirtualMachineInstance', 'bare', linux([inDrive('cds', 'blue')]));
    await create(vm('tux', linux()), bare);
    await Promise.all(['tux', 'bare'].map(logIn));
    expect(await kubectl(cdroms('tux'))).toMatch(/^cd=:closed cds=:closed ?$/);
    expect(await kubectl(cdroms('bare'))).toMatch(/^cd=:closed cds=blue:closed ?$/);
    await isEmpty('tux', 'sata');
    await reads('bare', 'scsi', 'blue');
  }, 240_000);

  it('come and go while the VM runs, by SATA and by SCSI', async () => {
    expect(await vireo('cdrom inject tux --volume-name cd --claim-name red --wait')).toContain(
      'Claim red is in CD-ROM drive cd',
    );
    await reads('tux', 'sata', 'red');
    expect(await vireo('cdrom inject tux --volume-name cds --claim-name blue --wait')).toContain('Claim blue is in');
    await reads('tux', 'scsi', 'blue');
    expect(await vireo('cdrom inject tux --volume-name cd --claim-name green')).toMatch(
      /CD-ROM drive cd of VM tux is not empty: red is in it.*--replace.*exit code 1/s,
    );
    expect(await vireo('cdrom inject tux --volume-name cd --claim-name green --replace --wait')).toContain(
      'Claim green is in',
    );
    await reads('tux', 'sata', 'green');
    expect(await vireo('cdrom list tux')).toMatch(
      /tux +cd +sata +closed +green +1\.0 MiB\ntux +cds +scsi +closed +blue/,
    );
    for (const drive of ['cd', 'cds'])
      expect(await vireo(`cdrom eject tux --volume-name ${drive} --wait`)).toContain(`CD-ROM drive ${drive} is empty`);
    await isEmpty('tux', 'sata');
    await isEmpty('tux', 'scsi');
    await kubectl.until(phases('tux'), /^root=: ?$/);
    expect(await kubectl(conditions('vm', 'tux'))).not.toContain('RestartRequired');
    expect(await kubectl('get events --field-selector involvedObject.kind=VirtualMachineInstance')).toMatch(
      /VolumeReady +virtualmachineinstance\/tux +Claim red was inserted into CD-ROM drive cd[\s\S]*VolumeUnplugged .*claim red was ejected from CD-ROM drive cd/,
    );
  }, 120_000);

  it('of an instance without a VM come and go as well', async () => {
    expect(await vireo('cdrom eject bare --volume-name cds --claim-name blue --wait')).toContain('cds is empty');
    await isEmpty('bare', 'scsi');
    expect(await vireo('cdrom inject bare --volume-name cds --claim-name green --wait')).toContain('Claim green is in');
    await reads('bare', 'scsi', 'green');
    expect(await vireo('cdrom inject bare --volume-name cd --claim-name red --wait')).toContain('Claim red is in');
    await reads('bare', 'sata', 'red');
    expect(await vireo('cdrom eject bare --volume-name cd --wait')).toContain('cd is empty');
    expect(await kubectl(cdroms('bare'))).toMatch(/^cd=:closed cds=green:closed ?$/);
  }, 120_000);

  it('follow the spec, whoever edits it; a drive itself needs a restart', async () => {
    await edit('tux', { volumes: [LINUX, inDrive('cd', 'red')] });
    await kubectl.until(phases('tux'), /cd=Ready/);
    await edit('tux', { volumes: [LINUX, inDrive('cd', 'green')] });
    await kubectl.until(cdroms('tux'), /cd=green:closed/);
    await reads('tux', 'sata', 'green');
    await edit('tux', { volumes: [LINUX] });
    await kubectl.until(cdroms('tux'), /cd=:closed/);
    expect(await kubectl(conditions('vm', 'tux'))).not.toContain('RestartRequired');
    await edit('tux', { domain: { devices: { disks: [ROOT, DRIVES[0]] } } });
    await kubectl.until(
      'get vm tux -o jsonpath={.status.conditions[*].message}',
      /changed in the template spec: CD-ROM drive cds will be removed by a restart/,
    );
    await edit('tux', { domain: { devices: { disks: [ROOT, ...DRIVES] } } });
    await kubectl.until('get vm tux -o jsonpath={.status.conditions[*].message}', /^(?!.*template spec)/);
  }, 120_000);

  it('stay while the guest has locked the tray, unless they are forced out', async () => {
    expect(await vireo('cdrom inject tux --volume-name cd --claim-name red --wait')).toContain('Claim red is in');
    await inGuest('tux', mount('sata'), /hello from red/);
    expect(await vireo('cdrom eject tux --volume-name cd')).toMatch(
      /the guest has locked the tray of CD-ROM drive \[cd\]: unmount the disc in the guest, or set force.*exit code 1/s,
    );
    expect(await vireo('cdrom inject tux --volume-name cd --claim-name blue --replace')).toMatch(
      /locked.*exit code 1/s,
    );
    expect(await kubectl(phases('tux'))).toContain('cd=Ready:VolumeReady');
    const again = 'sudo sh -c "echo 3 > /proc/sys/vm/drop_caches"; cat /mnt/hello.txt';
    await inGuest('tux', again, /hello from red/);
    // An edit of the spec is not refused: it waits, and says for what.
    await edit('tux', { volumes: [LINUX] });
    await kubectl.until(conditions('vmi', 'tux'), /MediaSynchronized=False:TrayLocked/);
    await kubectl.until(conditions('vm', 'tux'), /MediaSynchronized=False:TrayLocked/);
    expect(await kubectl(phases('tux'))).toContain('cd=Detaching:TrayLocked');
    await inGuest('tux', 'sudo umount /mnt; echo let go', /let go/);
    await kubectl.until(cdroms('tux'), /cd=:closed/);
    await kubectl.until(conditions('vmi', 'tux'), /^(?!.*MediaSynchronized)/);
    expect(await vireo('cdrom inject tux --volume-name cds --claim-name blue --wait')).toContain('Claim blue is in');
    await inGuest('tux', mount('scsi'), /hello from blue/);
    expect(await vireo('cdrom eject tux --volume-name cds')).toMatch(/locked.*exit code 1/s);
    expect(await vireo('cdrom eject tux --volume-name cds --force --wait')).toContain('CD-ROM drive cds is empty');
    await inGuest('tux', 'sudo umount /mnt; echo let go', /let go/);
    await isEmpty('tux', 'scsi');
  }, 120_000);

  it('that are none are inserted with a warning; a claim that goes away is no longer used', async () => {
    expect(await vireo(`cdrom inject tux --volume-name cd --image-path ${file('noise')} --wait`)).toContain(
      'Claim tux-noise is in CD-ROM drive cd',
    );
    expect(await kubectl('get vmi tux -o jsonpath={.status.cdromStatus[0].message}')).toMatch(
      /neither an ISO 9660 nor/,
    );
    expect(await kubectl('get events --field-selector reason=NotADisc')).toContain('Claim tux-noise was inserted');
    expect(await vireo('cdrom eject tux --volume-name cd --claim-name red')).toMatch(
      /claim red is not in CD-ROM drive cd.*Claim tux-noise is in it.*exit code 1/s,
    );
    expect(await vireo('cdrom eject tux --volume-name cd --delete-claim')).toContain(
      'DataVolume default/tux-noise deleted',
    );
    await kubectl.until('get pv -o jsonpath={.items[*].spec.claimRef.name}', /^(?!.*noise)/);
  }, 120_000);
});

it('a system is installed from a disc, which is ejected before the guest reboots', async () => {
  const spec = {
    domain: {
      memory: { guest: '64Mi' },
      devices: {
        disks: [
          { name: 'root', disk: { bus: 'virtio' }, bootOrder: 2 },
          { name: 'cd', cdrom: { bus: 'sata' }, bootOrder: 1 },
        ],
      },
    },
    volumes: [{ name: 'root', emptyDisk: { capacity: '1Mi' } }],
  };
  expect(await kubectl('apply --dry-run=server -f examples/cdrom.yaml')).toContain('disc-player created');
  await create(vm('fresh', spec, 'Halted'));
  expect(await vireo(`cdrom inject fresh --image-path ${file('installer')} --claim-name installer`)).toMatch(
    /VM fresh is not running: the disc will be in the drive when it starts/,
  );
  await vireo('start fresh');
  await untilStatus('fresh', 'Running');
  const shell = await console('fresh');
  // What was printed before somebody looked is in the log.
  await kubectl.until('logs -l vm.kubevirt.io/name=fresh --tail=-1', /installer: done/);
  expect(await vireo('cdrom eject fresh --wait')).toContain('CD-ROM drive cd is empty');
  shell.type('r');
  await shell.until(/boot sector ready/);
  await shell.close();
}, 120_000);

describe('whatever happens in between', () => {
  beforeAll(async () => {
    const root = { name: 'root', containerDisk: { image: 'vireo/boot-sector' } };
    const domain = { memory: { guest: '64Mi' }, devices: { disks: [ROOT, DRIVES[0]] } };
    await create(vm('spin', { domain, volumes: [root] }));
    await untilStatus('spin', 'Running');
  }, 120_000);

  const path = (action: string): string =>
    `/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachines/spin/${action}`;

  async function ask(client: Client, action: 'addvolume' | 'removevolume', claimName = ''): Promise<number> {
    const volumeSource = { persistentVolumeClaim: { claimName } };
    const body =
      action === 'addvolume' ? { name: 'cd', volumeSource } : { name: 'cd', diskRetentionPolicy: 'keep' as const };
    return (await client.transport.call({ method: 'PUT', path: path(action), body })).status;
  }

  async function withClient<T>(use: (client: Client) => Promise<T>): Promise<T> {
    const client = new Client(httpTransport(await loadKubeconfig({ path: server().kubeconfig })));
    try {
      return await use(client);
    } finally {
      await client.close();
    }
  }

  /** Asks until it is taken: whoever was just killed may not be back yet. */
  const asked = (action: 'addvolume' | 'removevolume', claimName?: string): Promise<void> =>
    vi.waitFor(async () => expect(await withClient((client) => ask(client, action, claimName))).toBe(202), {
      timeout: 30_000,
      interval: 200,
    });

  /** The drive of the guest comes to hold what the VM's spec says. */
  async function converges(): Promise<void> {
    const claim = await kubectl(
      `get vm spin -o "jsonpath={.spec.template.spec.volumes[?(@.name=='cd')].persistentVolumeClaim.claimName}"`,
    );
    await kubectl.until(cdroms('spin'), new RegExp(`cd=${claim}:closed`));
    await kubectl.until(phases('spin'), claim ? /cd=Ready/ : /^(?!.*cd=)/);
  }

  it('ten clients insert and eject at once', async () => {
    const answers = await withClient((client) =>
      Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          index % 2 ? ask(client, 'removevolume') : ask(client, 'addvolume', DISCS[index % DISCS.length]),
        ),
      ),
    );
    expect(answers.every((status) => status === 202 || status === 409)).toBe(true);
    expect(answers).toContain(202);
    await converges();
    await withClient((client) => ask(client, 'removevolume'));
    await converges();
  }, 60_000);

  it('a disc is ejected before it has come', async () => {
    await withClient(async (client) => {
      expect(await ask(client, 'addvolume', 'red')).toBe(202);
      expect(await ask(client, 'removevolume')).toBe(202);
    });
    await converges();
    expect(await kubectl(cdroms('spin'))).toContain('cd=:closed');
  }, 60_000);

  it('a disc has no volume yet: its class waits for whoever uses it first', async () => {
    const storage = {
      storageClassName: 'local-wait',
      volumeMode: 'Block',
      resources: { requests: { storage: '1Mi' } },
    };
    await create(
      JSON.stringify({
        apiVersion: 'cdi.kubevirt.io/v1beta1',
        kind: 'DataVolume',
        metadata: { name: 'late' },
        spec: { source: { blank: {} }, storage },
      }),
    );
    await kubectl.until('get pvc late -o jsonpath={.status.phase}', 'Pending');
    expect(await vireo('cdrom inject spin --claim-name late --wait')).toContain('Claim late is in CD-ROM drive cd');
    await vireo('cdrom eject spin --wait --delete-claim');
    await converges();
  }, 120_000);

  it.each([
    ['Vireo', async () => void (await server().kill()), startAgain],
    ['libvirtd', async () => end(await libvirtdPid(), 'SIGKILL'), async () => {}],
  ])(
    '%s is killed between the answer and the tray',
    async (_, kill, revive) => {
      await asked('addvolume', 'red');
      await kill();
      await revive();
      await converges();
      expect(await kubectl(cdroms('spin'))).toContain('cd=red:closed');
      await asked('removevolume');
      await kill();
      await revive();
      await converges();
      expect(await kubectl(cdroms('spin'))).toContain('cd=:closed');
    },
    120_000,
  );

  it('the VM is stopped: the disc is in when it starts again, and no claim is left in use', async () => {
    await asked('addvolume', 'green');
    await vireo('stop spin --force --grace-period 0');
    await untilStatus('spin', 'Stopped');
    await vireo('start spin');
    await untilStatus('spin', 'Running');
    await kubectl.until(cdroms('spin'), /cd=green:closed/);
    await kubectl.do('delete vm,vmi --all --timeout=90s');
    await kubectl.do('delete dv --all --timeout=60s');
    await kubectl.until('get pv', 'No resources found');
  }, 120_000);
});
