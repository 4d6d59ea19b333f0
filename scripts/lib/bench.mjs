import { join } from 'node:path';
import { ensureLibvirt } from '../libvirt.mjs';
import { setup } from '../setup.mjs';
import { ensureDebianPackages } from './debianPackages.mjs';
import { runLauncher } from './failure.mjs';
import { environment, node } from './nodeBinary.mjs';
import { root } from './paths.mjs';
import { runInForeground } from './spawn.mjs';
import { createSteps } from './steps.mjs';

/**
 * Runs a benchmark; `bench/run.ts` knows which there are.
 *
 * @param {readonly string[]} args
 */
export function bench(args) {
  return runLauncher(async () => {
    const steps = createSteps(process.stderr);
    await setup(steps);
    if (needsVms(args)) {
      await ensureLibvirt(steps);
      // virsh is what VMs and discs are compared with.
      await ensureDebianPackages(steps, ['libvirt-clients', ...(isWith(args, ['network']) ? networkPackages : [])]);
    }
    if (isWith(args, ['dashboard'])) await ensureDebianPackages(steps, ['chromium']);
    return runInForeground(node, [join(root, 'bench/run.ts'), ...args], { cwd: root, env: environment() });
  });
}

/** Those of libvirt's networks, which Vireo's is compared with, and what asks guests whether they are there. */
const networkPackages = ['dnsmasq-base', 'iptables', 'iputils-ping', 'iproute2', 'nftables'];

/** Whether real guests are part of what is measured: of these, and of all together. */
const needsVms = (args) => isWith(args, ['vm', 'cdrom', 'storage', 'network', 'migration']);

/** Whether one of the benchmarks is asked for, by its name or with all others. */
const isWith = ([name = '', ...more], benchmarks) =>
  !['--help', '-h'].some((flag) => [name, ...more].includes(flag)) &&
  (name === '' || name.startsWith('-') || benchmarks.includes(name));
