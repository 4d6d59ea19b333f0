import { controllerOf, type Pod } from '@vireo/api';

/** Why a pod that is no launcher waits. */
export const NOT_A_LAUNCHER = 'NotALauncherPod';

const NO_CONTAINERS = 'this node runs virtual machines, not containers';

/**
 * What a pod is told that this node cannot run. It stays Pending: one that failed would be created again and again by its
 * controller.
 */
export function notALauncher(pod: Pick<Pod, 'metadata'>): { readonly reason: string; readonly message: string } {
  const owner = controllerOf(pod);
  const advice =
    owner?.kind === 'DaemonSet'
      ? `keep DaemonSet ${owner.name} away from nodes with the label type=virtual-kubelet by a node affinity; ` +
        '`vireo install` prints the command'
      : 'create a VirtualMachine, and Vireo creates its pod';
  return { reason: NOT_A_LAUNCHER, message: `${NO_CONTAINERS}: ${advice}` };
}
