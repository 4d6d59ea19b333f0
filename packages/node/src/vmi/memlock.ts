import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Pod } from '@vireo/api';
import { MEMORY_OVERHEAD_ANNOTATION } from '@vireo/api/kinds/kubevirt/names.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { resolveRuntime } from '@vireo/hypervisor';
import type { NodeContext } from '../context.ts';
import { guestProcesses } from '../shutdown/guestProcesses.ts';
import { launcherOptions } from './launcher.ts';
import type { LocalVmi } from './localVmi.ts';

const run = promisify(execFile);

/** What the VMI's hypervisor lets its process lock; nothing where that stays as libvirt made it. */
export function memlockLimit(vmi: VirtualMachineInstance, pod: Pod, architecture: string): bigint | undefined {
  const { hypervisor, useEmulation } = launcherOptions(pod);
  const overhead = pod.metadata.annotations?.[MEMORY_OVERHEAD_ANNOTATION] ?? '';
  const overheadBytes = /^\d+$/.test(overhead) ? BigInt(overhead) : 0n;
  return resolveRuntime(hypervisor, useEmulation, architecture).memlockBytes(vmi, overheadBytes);
}

/**
 * Lets the process of a guest lock as much memory as its hypervisor says. libvirt has a limit of its own for devices
 * that it hands through; it knows nothing of those who ask for locked memory, and nothing of other hypervisors' needs.
 */
export async function setMemlockLimit(
  { key, vmi, pod }: Pick<LocalVmi, 'key' | 'vmi' | 'pod'>,
  context: Pick<NodeContext, 'host' | 'layout' | 'recorder'>,
): Promise<void> {
  if (!vmi || !pod) return;
  let bytes: bigint | undefined;
  try {
    bytes = memlockLimit(vmi, pod, context.host.architecture);
    if (bytes === undefined) return;
    const guest = (await guestProcesses(context.layout)).find((each) => each.key === key);
    if (!guest) throw new Error('its process does not exist');
    await run('prlimit', ['--pid', String(guest.pid), `--memlock=${bytes}`]);
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    const why = stderr?.trim() || message;
    context.recorder.event(
      vmi,
      'Warning',
      'MemlockFailed',
      `${bytes === undefined ? 'memory' : `${bytes} bytes of memory`} cannot be locked: ${why}`,
    );
  }
}
