import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { cpus, release } from 'node:os';
import { promisify } from 'node:util';
import { probeKvm } from '@vireo/node';
import { readCpuTopology } from '@vireo/node/host/cpuTopology.ts';
import { readHugePages } from '@vireo/node/host/hugePages.ts';

/** Prints what a report of `npm run kvm` says of this host, and whether KVM works here: it really boots a guest. */

const run = promisify(execFile);
const read = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '');
const firstLine = async (command: string, ...args: string[]): Promise<string> =>
  run(command, args).then(
    ({ stdout }) => stdout.split('\n')[0] ?? '',
    (error: { stdout?: string }) => error.stdout?.trim() ?? '',
  );

async function hostFacts(): Promise<Record<string, string>> {
  const cpuinfo = await read('/proc/cpuinfo');
  const extension = /^flags\s.*\b(vmx|svm)\b/m.exec(cpuinfo)?.[1] ?? 'neither vmx nor svm';
  const nested = (await Promise.all(['intel', 'amd'].map((name) => read(`/sys/module/kvm_${name}/parameters/nested`))))
    .join('')
    .trim();
  const { cells } = await readCpuTopology();
  const threads = Math.max(0, ...cells.flatMap(({ cores }) => cores.map((core) => core.length)));
  const pages = Object.entries(await readHugePages()).filter(([, bytes]) => bytes > 0);
  return {
    CPU: `${cpus()[0]?.model ?? 'unknown'} (${extension})`,
    CPUs: `${cpus().length}, ${cells.length} NUMA cell(s), up to ${threads} thread(s) a core`,
    'runs in': (await firstLine('systemd-detect-virt')) || 'unknown: systemd-detect-virt is not installed',
    'nested virtualization': /^(Y|1)$/.test(nested) ? 'on' : 'off',
    'huge pages': pages.map(([name, bytes]) => `${name}: ${bytes / 2 ** 20} MiB`).join(', ') || 'none',
    kernel: release(),
    system: /^PRETTY_NAME="?([^"\n]*)/m.exec(await read('/etc/os-release'))?.[1] ?? 'unknown',
    QEMU: (await firstLine('qemu-system-x86_64', '--version')).replace(/^QEMU emulator version /, ''),
    libvirt: (await firstLine('libvirtd', '--version')).replace(/^.*\) /, ''),
    user: process.getuid?.() === 0 ? 'root' : 'not root',
    Vireo: (await firstLine('git', 'describe', '--always', '--dirty')) || 'unknown',
  };
}

const startedAt = performance.now();
const kvm = await probeKvm();
console.log(JSON.stringify({ kvm, probeMs: Math.round(performance.now() - startedAt), host: await hostFacts() }));
