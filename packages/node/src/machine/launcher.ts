import type { Pod } from '@vireo/api';
import { CREATED_BY_LABEL } from '@vireo/api/kinds/kubevirt/names.ts';

/** What the launcher was made for. */
export interface LauncherChoice {
  readonly hypervisor: string;
  readonly useEmulation: boolean;
  /** It fails at once, as the annotation `kubevirt.io/func-test-virt-launcher-fail-fast` of its VMI asks. */
  readonly isToCrash: boolean;
}

/** Reads the arguments of the launcher's compute container. */
export function launcherChoice({ spec }: Pod): LauncherChoice {
  const compute = spec?.containers.find(({ name }) => name === 'compute');
  const words = [...(compute?.command ?? []), ...(compute?.args ?? [])];
  const at = words.indexOf('--hypervisor');
  return {
    hypervisor: (at >= 0 && words[at + 1]) || 'kvm',
    useEmulation: words.includes('--allow-emulation'),
    isToCrash: words.includes('--simulate-crash'),
  };
}

/** The uid of the instance that a launcher is for. */
export const instanceUid = ({ metadata }: Pod): string => metadata.labels?.[CREATED_BY_LABEL] ?? '';

/** The key of the instance that a launcher is for; undefined for a pod that is none. */
export function instanceKey({ metadata }: Pod): string | undefined {
  const owner = metadata.ownerReferences?.find(({ kind }) => kind === 'VirtualMachineInstance');
  return owner && instanceUid({ metadata } as Pod) ? `${metadata.namespace}/${owner.name}` : undefined;
}
