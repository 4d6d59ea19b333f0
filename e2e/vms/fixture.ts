import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { type Kubectl, kubectlFor, kubectlOf } from '../kubectl.ts';
import { startVireo, temporaryHome, typeVireo, type Vireo } from '../vireo.ts';
import { type Console, openConsole } from './console.ts';
import { GUESTS } from './guests.ts';
import { end, leftoversOf, processesWith, socketsOf } from './leftovers.ts';

/** A whole Vireo with VMs, on a home of its own, for the tests of one file. */
export interface Vms {
  readonly kubectl: Kubectl;
  home(): string;
  server(): Vireo;
  /** Runs `vireo …` as one would type it, and gives what it printed; with the exit code where it is not 0. */
  vireo(command: string): Promise<string>;
  console(name: string): Promise<Console>;
  /** Types on the console of a VM and leaves it. */
  type(name: string, keys: string): Promise<void>;
  /** Waits until `kubectl get vm` shows all of these in a state. */
  untilStatus(names: string | readonly string[], status: string): Promise<void>;
  /** Applies manifests. */
  create(...manifests: string[]): Promise<void>;
  /** The uid of a VM's instance; empty when it has none. */
  uidOf(name: string): Promise<string>;
  /** Waits until a VM runs as another instance than that one. */
  untilReplaced(name: string, uid: string): Promise<void>;
  /** Starts a server anew on the same home, after the last one has ended. */
  startAgain(): Promise<void>;
  libvirtdPid(): Promise<number>;
  /** Deletes every VM and checks that nothing of them stays. */
  clear(): Promise<void>;
}

/** How long one change of a VM may take on a busy host. */
const TIMEOUT = '--timeout=90s';

/**
 * Starts Vireo before the tests of this file, with such `options` of `vireo up`; after them, stops it, its libvirtd and
 * whatever else it left.
 */
export function useVms(...options: string[]): Vms {
  let home = '';
  let removeHome: (() => Promise<void>) | undefined;
  let running: { server: Vireo; kubectl: Kubectl } | undefined;
  const current = () => {
    if (!running) throw new Error('the server runs only while tests do');
    return running;
  };
  const start = async (): Promise<void> => {
    const server = await startVireo({ home, vms: true, options });
    running = { server, kubectl: kubectlFor(server.kubeconfig, join(home, 'kubectl-cache')) };
  };
  const libvirtdPid = async (): Promise<number> =>
    Number(await readFile(join(home, 'libvirt/libvirtd.pid'), 'utf8').catch(() => '0'));

  beforeAll(async () => {
    ({ home, remove: removeHome } = await temporaryHome());
    for (const [name, disk] of Object.entries(GUESTS)) {
      const directory = join(home, 'images/test', name);
      await mkdir(directory, { recursive: true });
      await writeFile(join(directory, 'disk.raw'), disk);
    }
    await start();
  }, 120_000);

  afterAll(async () => {
    await running?.server.stop();
    // Guests and their daemon belong to the home, not to the server that started them.
    for (const { pid } of await processesWith(home)) if (pid !== process.pid) end(pid, 'SIGKILL');
    await vi.waitFor(async () => expect(await processesWith(home)).toEqual([]), { timeout: 20_000 });
    await rm(socketsOf(home), { recursive: true, force: true });
    await removeHome?.();
  }, 120_000);

  const kubectl = kubectlOf(() => current().kubectl);

  return {
    kubectl,
    home: () => home,
    server: () => current().server,
    libvirtdPid,
    startAgain: start,
    vireo: (command) => typeVireo(command, current().server.kubeconfig),
    console: (name) => openConsole(current().server.kubeconfig, name),
    async type(name, keys) {
      const console = await openConsole(current().server.kubeconfig, name);
      console.type(keys);
      await console.close();
    },
    async untilStatus(names, status) {
      const all = [names].flat().map((name) => `vm/${name}`);
      await kubectl.do(`wait ${all.join(' ')} --for=jsonpath={.status.printableStatus}=${status} ${TIMEOUT}`);
    },
    create: (...manifests) => kubectl.do('apply -f -', { input: manifests.join('\n') }),
    ...followVmis(kubectl),
    async clear() {
      await kubectl.do(`delete vm,vmi --all ${TIMEOUT}`);
      await vi.waitFor(async () => expect(await leftoversOf(home)).toEqual({}), { timeout: 30_000 });
      expect(await kubectl('get vm,vmi,pods,controllerrevisions')).toBe('No resources found in default namespace.');
    },
  };
}

/** What tells one VMI of a VM from the next. */
export function followVmis(kubectl: Kubectl): Pick<Vms, 'uidOf' | 'untilReplaced'> {
  const uidOf = async (name: string): Promise<string> =>
    (await kubectl.run(`get vmi ${name} -o jsonpath={.metadata.uid}`)).stdout;
  return {
    uidOf,
    async untilReplaced(name, uid) {
      await vi.waitFor(async () => expect(await uidOf(name)).toMatch(new RegExp(`^(?!${uid}).`)), {
        timeout: 60_000,
        interval: 200,
      });
      await kubectl.do(`wait vmi/${name} --for=jsonpath={.status.phase}=Running ${TIMEOUT}`);
    },
  };
}

export { end };
