import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { leftRunning } from '@vireo/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Kubectl, kubectlFor } from '../e2e/kubectl.ts';
import { runVireo, temporaryHome } from '../e2e/vireo.ts';
import { instance } from '../e2e/vms/manifests.ts';
import { isLab } from './capabilities.ts';

const root = resolve(import.meta.dirname, '..');
const systemctl = async (...args: string[]): Promise<string> =>
  (await promisify(execFile)('systemctl', args)).stdout.trim();

/** The unit that users are told to write, with this checkout and a home of the test. */
async function unitFor(home: string): Promise<string> {
  const page = await readFile(join(root, 'docs/install.md'), 'utf8');
  const [, unit] = /```ini\n# \/etc\/systemd\/system\/vireo\.service\n(.*?)```/s.exec(page) ?? [];
  const command = 'ExecStart=/usr/local/bin/vireo up --home /var/lib/vireo\n';
  if (!unit?.includes(command)) throw new Error('docs/install.md has no unit that starts vireo up');
  const isShuttingDown = '$(systemctl is-system-running)';
  if (!unit.includes(`"${isShuttingDown}" != stopping`) || !unit.includes('vireo down --home /var/lib/vireo'))
    throw new Error('docs/install.md has no unit that runs vireo down when the host shuts down');
  return unit
    .replace(command, `ExecStart=${root}/bin/vireo up --home ${home} --port 0\n`)
    .replace('/usr/local/bin/vireo down --home /var/lib/vireo', `${root}/bin/vireo down --home ${home}`)
    .replace(isShuttingDown, `$(cat ${stateFile(home)} || systemctl is-system-running)`);
}

/** Says in place of systemd that the host shuts down: the lab has to go on. */
const stateFile = (home: string): string => join(home, 'system-state');

// Each test goes on where the one before it ended.
describe.skipIf(!isLab)('vireo up as a service of systemd', () => {
  const unit = `vireo-test-${process.pid}.service`;
  const file = join('/run/systemd/system', unit);
  let home: string;
  let removeHome: () => Promise<void>;
  let kubectl: Kubectl;

  beforeAll(async () => {
    ({ home, remove: removeHome } = await temporaryHome());
    await writeFile(file, await unitFor(home));
    await systemctl('daemon-reload');
    kubectl = kubectlFor(join(home, 'kubeconfig'), join(home, 'kubectl-cache'));
    await systemctl('start', unit);
    await untilReady();
  });
  afterAll(async () => {
    await systemctl('stop', unit);
    if ((await guestPids()).length > 0) await runVireo(['down', '--force', '--home', home]);
    await rm(file, { force: true });
    await systemctl('daemon-reload');
    await removeHome();
  });

  /** The server of a moment ago has ended by now; the next one writes where it listens to the kubeconfig. */
  const untilReady = (): Promise<void> => kubectl.until('get --raw /readyz', 'ok');
  const mainPid = (): Promise<string> => systemctl('show', '--property=MainPID', '--value', unit);
  const guestPids = async (): Promise<number[]> => (await leftRunning(home)).guests.map(({ pid }) => pid);

  it('the service has a cgroup of its own', async () => {
    const cgroup = await readFile(`/proc/${await mainPid()}/cgroup`, 'utf8');
    expect(cgroup).toBe(`0::/system.slice/${unit}\n`);
  });

  it('a guest boots without privileges, as the user that its VMI names', async () => {
    await kubectl.do('apply -f -', { input: instance('tiny', { guest: 'boot-sector', memory: '64Mi' }) });
    await kubectl.do('wait vmi/tiny --for=jsonpath={.status.phase}=Running --timeout=20m');
    const { status } = await kubectl.json<{ status: { runtimeUser: number } }>('get vmi tiny -o json');
    const [pid] = await guestPids();
    const lines = (await readFile(`/proc/${pid}/status`, 'utf8')).split('\n');
    const user = status.runtimeUser;
    expect(user).toBeGreaterThan(0);
    expect(lines).toContain(`Uid:\t${[user, user, user, user].join('\t')}`);
    expect(lines).toContain('CapEff:\t0000000000000000');
    expect(lines).toContain('Seccomp:\t2');
    // Not below the service's own group, which systemd ends with it.
    const group = await readFile(`/proc/${pid}/cgroup`, 'utf8');
    expect(group).toMatch(/^0::\/machine\.slice\/vireo-[0-9a-f]+\.service\/[0-9a-f-]{36}$/m);
  });

  it('a restart of the service leaves the guest alone, and the server finds it', async () => {
    const [guests, server] = [await guestPids(), await mainPid()];
    expect(guests).toHaveLength(1);
    await systemctl('restart', unit);
    await untilReady();
    expect(await mainPid()).not.toBe(server);
    expect(await guestPids()).toEqual(guests);
    expect(await kubectl('get vmi tiny -o jsonpath={.status.phase}')).toBe('Running');
  });

  it('systemctl stop leaves the guest running; vireo down ends it', async () => {
    const guests = await guestPids();
    await systemctl('stop', unit);
    expect(await systemctl('show', '--property=Result', '--value', unit)).toBe('success');
    expect(await guestPids()).toEqual(guests);
    const { code } = await runVireo(['down', '--force', '--home', home]);
    expect(code).toBe(0);
    expect(await guestPids()).toEqual([]);
  });

  it('when the host shuts down, guests are shut down with the service', async () => {
    await systemctl('start', unit);
    await untilReady();
    await kubectl.do('delete vmi tiny --ignore-not-found --wait');
    await kubectl.do('apply -f -', { input: instance('tiny', { guest: 'boot-sector', memory: '64Mi' }) });
    await kubectl.do('wait vmi/tiny --for=jsonpath={.status.phase}=Running --timeout=20m');
    expect(await guestPids()).toHaveLength(1);
    await writeFile(stateFile(home), 'stopping\n');
    await systemctl('stop', unit);
    expect(await systemctl('show', '--property=Result', '--value', unit)).toBe('success');
    expect(await leftRunning(home)).toMatchObject({ guests: [], libvirtdPid: undefined });
  });
});
