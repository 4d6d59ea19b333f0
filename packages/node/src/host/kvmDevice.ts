import { open, readFile, stat } from 'node:fs/promises';

const DEVICE = '/dev/kvm';

/** What stands between guests and KVM before one is even tried. */
export interface KvmObstacle {
  readonly finding: 'missing' | 'forbidden';
  readonly reason: string;
}

/** What is known of the device and of the processor. */
export interface KvmDevice {
  /** The error of opening it; undefined where it could be opened. */
  readonly code?: string | undefined;
  readonly mode?: number;
  /** Name of the group that it belongs to. */
  readonly group?: string | undefined;
  /** `vmx` or `svm` where the processor has it. */
  readonly extension?: 'vmx' | 'svm' | undefined;
  /** Whether it was root who could not open it. */
  readonly isRoot?: boolean;
}

const GROUP_MAY_USE = 0o060;

/** Why KVM cannot be tried, and what to do about it; undefined where it can. */
export function kvmObstacle({ code, mode = 0, group, extension, isRoot }: KvmDevice): KvmObstacle | undefined {
  if (code === undefined) return undefined;
  if (['ENOENT', 'ENXIO', 'ENODEV'].includes(code)) {
    const hint = extension
      ? `the processor can virtualize: run \`sudo modprobe kvm_${extension === 'vmx' ? 'intel' : 'amd'}\``
      : 'this machine offers no virtualization; on your own hardware, enable VT-x or AMD-V in its firmware';
    return { finding: 'missing', reason: `${DEVICE} does not exist (${hint})` };
  }
  if (code !== 'EACCES' && code !== 'EPERM') return undefined;
  const isForGroup = (mode & GROUP_MAY_USE) === GROUP_MAY_USE && group !== undefined && group !== 'root';
  const hint = isForGroup
    ? `run \`sudo usermod -aG ${group} "$USER"\` and log in again`
    : 'it is root’s alone: run `sudo chgrp kvm /dev/kvm && sudo chmod 660 /dev/kvm`, and join the group kvm';
  // A container may keep root itself out.
  const why = isRoot ? 'the container or sandbox that Vireo runs in does not allow it' : hint;
  return { finding: 'forbidden', reason: `this user cannot access ${DEVICE}: ${why}` };
}

export async function readKvmDevice(path = DEVICE): Promise<KvmDevice> {
  const code = await open(path, 'r+').then(
    async (handle) => {
      await handle.close();
      return undefined;
    },
    (error: NodeJS.ErrnoException) => error.code ?? 'EIO',
  );
  if (code === undefined) return {};
  const found = await stat(path).catch(() => undefined);
  const groups = await readFile('/etc/group', 'utf8').catch(() => '');
  const group = groups.split('\n').find((line) => line.split(':')[2] === String(found?.gid));
  const cpu = await readFile('/proc/cpuinfo', 'utf8').catch(() => '');
  return {
    code,
    isRoot: process.getuid?.() === 0,
    ...(found && { mode: found.mode & 0o777 }),
    group: group?.split(':')[0],
    extension: /^flags\s.*\b(vmx|svm)\b/m.exec(cpu)?.[1] as KvmDevice['extension'],
  };
}
