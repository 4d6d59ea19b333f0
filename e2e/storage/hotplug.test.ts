import { describe, expect, it } from 'vitest';
import type { Console } from '../vms/console.ts';
import { useVms } from '../vms/fixture.ts';
import { linux } from '../vms/manifests.ts';

const { kubectl, vireo, console, create, server, startAgain, untilStatus } = useVms();

const USER_DATA = '#cloud-config\npassword: secret\nchpasswd: { expire: false }\n';

/** The small Linux that Vireo builds, with somebody to log in as. */
const SETTINGS = { name: 'settings', cloudInitNoCloud: { userData: USER_DATA } };
const GROWING = { name: 'growing', persistentVolumeClaim: { claimName: 'growing' } };
const VM = linux('tux', {}, { memory: '1Gi', volumes: [SETTINGS, GROWING] });

const CLAIM = JSON.stringify({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'growing' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '16Mi' } } },
});

const blank = (name: string): string =>
  JSON.stringify({
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: { name },
    spec: { source: { blank: {} }, storage: { resources: { requests: { storage: '24Mi' } } } },
  });

let shell: Console;

async function logIn(): Promise<void> {
  shell = await console('tux');
  shell.type('\r');
  await shell.until(/login:/);
  shell.type('vireo\r');
  await shell.until(/Password:/);
  shell.type('secret\r');
  await shell.until(/[$#] /);
}

const setRunning = (runStrategy: 'Always' | 'Halted'): Promise<void> =>
  kubectl.do(`patch vm tux --type=merge -p '{"spec":{"runStrategy":"${runStrategy}"}}'`);

/** Waits for the disk, and reads what was written to it. */
const isKept = (): Promise<string> =>
  inGuest('until [ -e /dev/sda ]; do sleep 0.2; done; sudo head -c 16 /dev/sda | tr k K', /Kept-by-the-disK/);

/** What the guest prints for a command, up to a mark that only its output has. */
async function inGuest(command: string, wanted: RegExp): Promise<string> {
  shell.type(`${command}; echo "fin""ished"\r`);
  return shell.until(new RegExp(`${wanted.source}.*finished`, 's'));
}

const grow = async (claim: string, storage: string): Promise<void> => {
  await kubectl.do(`patch pvc ${claim} --type=merge -p '{"spec":{"resources":{"requests":{"storage":"${storage}"}}}}'`);
  await kubectl.until(`get pvc ${claim} -o jsonpath={.status.capacity.storage}`, storage);
};

const ACTIONS = '/apis/subresources.harvesterhci.io/v1beta1';

const resize = (domain: object): Promise<void> =>
  kubectl.do(`patch vm tux --type=merge -p '${JSON.stringify({ spec: { template: { spec: { domain } } } })}'`);

const MEMORY_MIB = "awk '/MemTotal/ { print int($2 / 1024) }' /proc/meminfo";

const memoryMib = async (): Promise<number> =>
  Number(/has (\d+) MiB/.exec(await inGuest(`echo "has $(${MEMORY_MIB}) MiB"`, /has \d+ MiB/))?.[1]);

const bootId = (output: string): string => /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(output)?.[0] ?? 'none';

/** What the launcher of the guest requests of its node. */
const requests = async (): Promise<string> => {
  const at = '{.items[0].spec.containers[0].resources.requests';
  return kubectl(`get pods -l kubevirt.io=virt-launcher -o "jsonpath=${at}.cpu} ${at}.memory}"`);
};

const volumes = 'get vmi tux -o "jsonpath={range .status.volumeStatus[*]}{.name}={.phase} {end}"';

describe('a disk that comes and goes', () => {
  it('has a guest to come to', async () => {
    await create(VM, CLAIM, blank('extra'));
    await logIn();
    await inGuest('ls /sys/block', /vda/);
  }, 240_000);

  it('is not plugged in by a dry run, nor when it cannot be', async () => {
    expect(await vireo('addvolume tux --volume-name extra --dry-run')).toContain('Dry Run execution');
    expect(await vireo('addvolume tux --volume-name nowhere')).toMatch(
      /nowhere is not a DataVolume or PersistentVolumeClaim.*exit code 1/s,
    );
    expect(await vireo('addvolume nobody --volume-name extra')).toMatch(/"nobody" not found.*exit code 1/s);
    expect(await vireo('removevolume tux --volume-name extra')).toMatch(/extra.*exit code 1/s);
    expect(await kubectl('get vm tux -o jsonpath={.spec.template.spec.volumes[*].name}')).toBe('root settings growing');
  }, 60_000);

  it('is a disk in the guest, with its serial number, and keeps what is written', async () => {
    expect(await vireo('addvolume tux --volume-name extra --serial from-outside --persist')).toContain(
      'Successfully submitted add volume request to VM tux for volume extra',
    );
    await kubectl.until(volumes, /extra=Ready/);
    await inGuest('until [ -e /sys/block/sda ]; do sleep 0.2; done; cat /sys/block/sda/size', /49152/);
    await inGuest('cat /sys/block/sda/device/vpd_pg80 | tr -d "\\0"', /from-outside/);
    await inGuest(
      'sudo sh -c "echo kept-by-the-disk > /dev/sda; sync"; sudo head -c 16 /dev/sda | tr k K',
      /Kept-by-the-disK/,
    );
    expect(await kubectl('get vm tux -o jsonpath={.status.conditions[*].type}')).not.toContain('RestartRequired');
    expect(await vireo('addvolume tux --volume-name extra')).toMatch(/already exists.*exit code 1/s);
  }, 120_000);

  it('is gone from the guest when it is taken out, and comes back with its data', async () => {
    expect(await vireo('removevolume tux --volume-name extra --dry-run')).toContain('Dry Run execution');
    await vireo('removevolume tux --volume-name extra --persist');
    await kubectl.until(volumes, /^growing= root= settings= *$/);
    await inGuest('while [ -e /sys/block/sda ]; do sleep 0.2; done; echo "dev" "gone"', /dev gone/);
    await vireo('addvolume tux --volume-name extra --persist');
    await kubectl.until(volumes, /extra=Ready/);
    await isKept();
  }, 120_000);

  it('grows while the guest runs, as does one that was there at boot', async () => {
    await grow('extra', '48Mi');
    await grow('growing', '32Mi');
    await inGuest('cat /sys/block/sda/size /sys/block/vdc/size | xargs', /98304 65536/);
    const info = 'persistentVolumeClaimInfo.capacity.storage';
    expect(await kubectl(`get vmi tux -o jsonpath={.status.volumeStatus[*].${info}}`)).toBe('48Mi 32Mi');
    await isKept();
  }, 120_000);

  it('is in a guest that gets CPUs and memory while it runs, and gives memory back', async () => {
    const boot = await inGuest('cat /proc/sys/kernel/random/boot_id', /[0-9a-f-]{36}/);
    const before = await memoryMib();
    // As Harvester's page does it; what comes after is done by spec.
    await kubectl.do('annotate vm tux harvesterhci.io/enableCPUAndMemoryHotplug=true');
    const action = `${ACTIONS}/namespaces/default/virtualmachines/tux/cpuAndMemoryHotplug`;
    await kubectl.do(`create --raw ${action} -f -`, { input: '{"sockets":3,"memory":"1152Mi"}' });
    await kubectl.until('get vmi tux -o jsonpath={.status.currentCPUTopology.sockets}', '3');
    await kubectl.until('get vmi tux -o jsonpath={.status.memory.guestCurrent}', '1152Mi');
    await inGuest('until [ "$(nproc)" = 3 ]; do sleep 0.5; done; echo "three" "CPUs"', /three CPUs/);
    await inGuest(
      `until [ "$(${MEMORY_MIB})" -ge ${before + 120} ]; do sleep 0.5; done; echo "more" "memory"`,
      /more memory/,
    );
    expect(await requests()).toMatch(/^300m \d+Mi$/);
    const conditions = 'get vmi tux -o jsonpath={.status.conditions[*].type}';
    expect(await kubectl(conditions)).not.toMatch(/HotVCPUChange|HotMemoryChange/);
    await resize({ memory: { guest: '1Gi' } });
    await kubectl.until('get vmi tux -o jsonpath={.status.memory.guestCurrent}', '1Gi');
    await kubectl.until(conditions, /^(?!.*HotMemoryChange)/);
    expect(await inGuest('cat /proc/sys/kernel/random/boot_id', /[0-9a-f-]{36}/)).toContain(bootId(boot));
    await resize({ cpu: { sockets: 1 } });
    await kubectl.until(
      'get vm tux -o "jsonpath={.status.conditions[?(@.type==\'RestartRequired\')].message}"',
      'Reduction of CPU socket count requires a restart',
    );
  }, 240_000);

  it('has its data when the VM is started again, by another Vireo', async () => {
    await shell.close();
    await setRunning('Halted');
    await untilStatus('tux', 'Stopped');
    await server().kill();
    await startAgain();
    await setRunning('Always');
    await untilStatus('tux', 'Running');
    await logIn();
    await isKept();
  }, 240_000);

  it('goes with the VM, and its data stays', async () => {
    await shell.close();
    await kubectl.do('delete vm tux --timeout=90s');
    expect(await kubectl('get dv extra -o jsonpath={.status.phase}')).toBe('Succeeded');
    await kubectl.do('delete dv extra --timeout=60s');
  }, 120_000);
});
