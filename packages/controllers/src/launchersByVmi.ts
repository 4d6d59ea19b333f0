import type { Pod } from '@vireo/api';
import { vmiOfLauncher } from '@vireo/api/kinds/kubevirt/eviction.ts';

/** The index of launcher pods by the uid of their VMI: one function, for informers are shared. */
export const LAUNCHERS_BY_VMI = { launcherOf: (pod: Pod): string[] => [vmiOfLauncher(pod)?.uid ?? ''] };
