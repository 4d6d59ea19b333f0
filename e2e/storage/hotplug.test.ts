import { describe, expect, it } from 'vitest';
import type { Console } from '../vms/console.ts';
import { useVms } from '../vms/fixture.ts';
import { linux } from '../vms/manifests.ts';

const { kubectl, vireo, console, create, server, startAgain, untilStatus } = useVms();

const USER_DATA = '#cloud-config\npassword: secret\nchpasswd: { expire: false }\n';

/** The small Linux that Vireo builds, with somebody to log in as. */
const VM = linux('tux', { cloudInitNoCloud: { userData: USER_DATA } });

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

const volumes = 'get vmi tux -o "jsonpath={range .status.volumeStatus[*]}{.name}={.phase} {end}"';

describe('a disk that comes and goes', () => {
  it('has a guest to come to', async () => {
    await create(VM, blank('extra'));
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
    expect(await kubectl('get vm tux -o jsonpath={.spec.template.spec.volumes[*].name}')).toBe('root settings');
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
    await kubectl.until(volumes, /^root= settings= *$/);
    await inGuest('while [ -e /sys/block/sda ]; do sleep 0.2; done; echo "dev" "gone"', /dev gone/);
    await vireo('addvolume tux --volume-name extra --persist');
    await kubectl.until(volumes, /extra=Ready/);
    await isKept();
  }, 120_000);

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
