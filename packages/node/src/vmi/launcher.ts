import { hasEnded, isDeleting, type Persisted, type Pod } from '@vireo/api';
import { CREATED_BY_LABEL } from '@vireo/api/kinds/kubevirt/names.ts';

/** The container of a launcher that stands for its guest. */
export const COMPUTE = 'compute';

/** What the launcher was made for. */
export interface LauncherOptions {
  readonly hypervisor: string;
  readonly useEmulation: boolean;
  /** It fails at once, as the annotation `kubevirt.io/func-test-virt-launcher-fail-fast` of its VMI asks. */
  readonly shouldCrash: boolean;
}

/** Reads the arguments of the launcher's compute container. */
export function launcherOptions({ spec }: Pod): LauncherOptions {
  const compute = spec?.containers.find(({ name }) => name === COMPUTE);
  const words = [...(compute?.command ?? []), ...(compute?.args ?? [])];
  const at = words.indexOf('--hypervisor');
  return {
    hypervisor: (at >= 0 && words[at + 1]) || 'kvm',
    useEmulation: words.includes('--allow-emulation'),
    shouldCrash: words.includes('--simulate-crash'),
  };
}

/** The uid of the VMI that a launcher is for. */
export const vmiUid = ({ metadata }: Pod): string => metadata.labels?.[CREATED_BY_LABEL] ?? '';

/** The key of the VMI that a launcher is for; undefined for a pod that is none. */
export function vmiKey({ metadata }: Pod): string | undefined {
  const owner = metadata.ownerReferences?.find(({ kind }) => kind === 'VirtualMachineInstance');
  return owner && vmiUid({ metadata } as Pod) ? `${metadata.namespace}/${owner.name}` : undefined;
}

/**
 * Of the launchers of one VMI on one node, the one that its guest has or is to come to: a guest that moved away may come
 * back before its former launcher is gone.
 */
export const currentLauncher = <P extends Persisted<Pod>>(launchers: readonly P[]): P | undefined =>
  launchers.toSorted((a, b) => rank(a) - rank(b) || madeAtMs(b) - madeAtMs(a))[0];

const rank = (pod: Persisted<Pod>): number => (hasEnded(pod) ? 2 : isDeleting(pod) ? 1 : 0);
const madeAtMs = ({ metadata }: Persisted<Pod>): number => Date.parse(metadata.creationTimestamp);
