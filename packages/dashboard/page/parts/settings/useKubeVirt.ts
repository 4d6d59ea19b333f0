import type { Snapshot } from '../../data/collection.ts';
import { whole } from '../../data/kinds.ts';
import type { KubeVirt } from '../../data/kubevirtKinds.ts';
import { useCollection } from '../session.tsx';

/** The KubeVirt object of the cluster. Many may list it and not watch it: it is then read again every minute. */
export const useKubeVirt = (): Snapshot<KubeVirt> =>
  useCollection<KubeVirt, KubeVirt>('/apis/kubevirt.io/v1/kubevirts', whole);

/** Whether Vireo is what answers, which promises more than KubeVirt in places. */
export const useIsVireo = (): boolean => useKubeVirt().rows[0]?.status?.observedKubeVirtRegistry === 'vireo';
