import { spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';

export interface KvmProbe {
  readonly isUsable: boolean;
  /** Why not. */
  readonly reason: string;
}

const DEVICE = '/dev/kvm';
const PROBE_MS = 3_000;
/** The firmware's first words on its debug port: a processor that executes instructions produces them. */
const SIGN_OF_LIFE = 'SeaBIOS';

/** QEMU's words, and what to do where only the right to use the device is missing. */
export const kvmReason = (words: string, { exists, isAllowed }: { exists: boolean; isAllowed: boolean }): string =>
  exists && !isAllowed
    ? `this user may not use ${DEVICE}; \`sudo usermod -aG kvm "$USER"\` and a new login let it (${words})`
    : words;

const may = (mode: number): Promise<boolean> =>
  access(DEVICE, mode).then(
    () => true,
    () => false,
  );

/**
 * Whether guests run on this machine's processor. `/dev/kvm` may exist and be useless, so a firmware is really started
 * with it, and has to come alive soon.
 */
export async function probeKvm(): Promise<KvmProbe> {
  const probe = await tryKvm();
  if (probe.isUsable) return probe;
  const device = { exists: await may(constants.F_OK), isAllowed: await may(constants.R_OK | constants.W_OK) };
  return { ...probe, reason: kvmReason(probe.reason, device) };
}

function tryKvm(): Promise<KvmProbe> {
  const isArm = process.arch === 'arm64';
  const firmware = ['-chardev', 'stdio,id=debug', '-device', 'isa-debugcon,iobase=0x402,chardev=debug'];
  // ARM machines come without a firmware that would talk; there it is enough that KVM takes the machine.
  const machine = isArm ? ['-M', 'virt', '-S', '-monitor', 'stdio'] : ['-M', 'q35', ...firmware];
  const args = ['-accel', 'kvm', '-cpu', 'host', '-m', '32', '-display', 'none', '-nodefaults', '-no-user-config'];
  const { promise, resolve } = Promise.withResolvers<KvmProbe>();
  const qemu = spawn(isArm ? 'qemu-system-aarch64' : 'qemu-system-x86_64', [...args, ...machine], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  const finish = (isUsable: boolean, reason: string): void => {
    clearTimeout(timer);
    qemu.kill('SIGKILL');
    resolve({ isUsable, reason });
  };
  const timer = setTimeout(
    () => finish(false, `a machine under KVM did not come alive within ${PROBE_MS / 1000} s`),
    PROBE_MS,
  );
  qemu.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString('latin1');
    if (output.includes(isArm ? 'QEMU' : SIGN_OF_LIFE)) finish(true, '');
  });
  qemu.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  qemu.on('error', (error) => finish(false, error.message));
  qemu.on('exit', () => finish(false, errors.trim().split('\n').at(-1) || 'QEMU ended at once'));
  return promise;
}
