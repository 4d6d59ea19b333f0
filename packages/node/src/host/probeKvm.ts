import { spawn } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LONG_MODE_REACHED, longModeFirmware } from '../guestImage/longModeProgram.ts';
import { kvmObstacle, readKvmDevice } from './kvmDevice.ts';

export interface KvmProbe {
  readonly isUsable: boolean;
  /** Why not. */
  readonly reason: string;
  /** Not there, not for this user, or there and of no use: each has another remedy. */
  readonly finding?: 'missing' | 'forbidden' | 'useless';
}

/** Who guests run as. */
export interface ProbeUser {
  readonly uid: number;
  readonly gid: number;
}

/** What QEMU opens to use KVM. */
export const KVM_DEVICE = '/dev/kvm';
const PROBE_MS = 5_000;
/** QEMU's words for a guest that KVM cannot go on with; it stays, paused. */
const INTERNAL_ERROR = 'KVM internal error';

/**
 * Whether guests run on this host's processor. `/dev/kvm` may exist and be useless, or good for a firmware and no
 * more, so a guest is really booted into 64-bit mode with it, and has to get there soon. It runs as `user` where guests
 * have one of their own: what we may open, they may not.
 */
export async function probeKvm(user?: ProbeUser): Promise<KvmProbe> {
  const obstacle = kvmObstacle(await readKvmDevice());
  if (obstacle) return { isUsable: false, ...obstacle };
  const probe = await tryAccelerator('kvm', user);
  // Without QEMU nobody knows.
  if (probe.isUsable || /^spawn /.test(probe.reason)) return probe;
  if (user && /Permission denied/.test(probe.reason)) {
    const reason = `the users of guests cannot access ${KVM_DEVICE}: ${probe.reason}`;
    return { isUsable: false, finding: 'forbidden', reason };
  }
  return { ...probe, finding: 'useless', reason: `${KVM_DEVICE} exists but does not work: ${probe.reason}` };
}

/** Boots a guest that is nothing but a firmware, with an accelerator of QEMU. */
export async function tryAccelerator(accelerator: 'kvm' | 'tcg', user?: ProbeUser): Promise<KvmProbe> {
  const directory = await mkdtemp(join(tmpdir(), 'vireo-kvm-'));
  try {
    const firmware = join(directory, 'firmware.bin');
    await writeFile(firmware, longModeFirmware());
    if (user) await chmod(directory, 0o755);
    return await bootProbe(accelerator, firmware, user);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function bootProbe(accelerator: 'kvm' | 'tcg', firmware: string, user?: ProbeUser): Promise<KvmProbe> {
  const isArm = process.arch === 'arm64';
  const port = ['-chardev', 'stdio,id=debug', '-device', 'isa-debugcon,iobase=0x402,chardev=debug'];
  // ARM VMs come without a firmware that would talk; there it is enough that KVM takes the VM.
  const machine = isArm ? ['-M', 'virt', '-S', '-monitor', 'stdio'] : ['-M', 'q35', '-bios', firmware, ...port];
  const processor = ['-accel', accelerator, '-cpu', accelerator === 'kvm' ? 'host' : 'max'];
  const args = [...processor, '-m', '32', '-display', 'none', '-nodefaults', '-no-user-config'];
  const { promise, resolve } = Promise.withResolvers<KvmProbe>();
  const qemu = spawn(isArm ? 'qemu-system-aarch64' : 'qemu-system-x86_64', [...args, ...machine], {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...user,
  });
  let output = '';
  let errors = '';
  const finish = (isUsable: boolean, reason: string): void => {
    clearTimeout(timer);
    qemu.kill('SIGKILL');
    resolve({ isUsable, reason });
  };
  const timer = setTimeout(
    () => finish(false, `a guest under KVM did not reach 64-bit mode within ${PROBE_MS / 1000} s`),
    PROBE_MS,
  );
  qemu.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString('latin1');
    if (output.includes(isArm ? 'QEMU' : LONG_MODE_REACHED)) finish(true, '');
  });
  qemu.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
    if (errors.includes(INTERNAL_ERROR)) {
      finish(false, `it cannot boot an operating system (${INTERNAL_ERROR})`);
    }
  });
  qemu.on('error', (error) => finish(false, error.message));
  qemu.on('exit', () => finish(false, errors.trim().split('\n').at(-1) || 'QEMU exited immediately'));
  return promise;
}
