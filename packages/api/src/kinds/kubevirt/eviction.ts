/** What is asked of VMIs whose node is to be emptied, and the words in which KubeVirt's parts tell each other. */

import { isConditionTrue } from '../../conditions.ts';
import type { Pod } from '../core/pod.ts';
import type { VirtualMachineInstance } from './virtualMachineInstance.ts';

/** On a migration: the node that the VMI is to leave. */
export const EVACUATION_ANNOTATION = 'kubevirt.io/evacuationMigration';
/** On VMIs: who asked for the eviction, where that is the descheduler. */
export const EVICTION_SOURCE_ANNOTATION = 'kubevirt.io/eviction-source';
export const DESCHEDULER_SOURCE = 'descheduler';
/** On evictions that the descheduler asks for. */
export const REQUESTED_BY_ANNOTATION = 'requested-by';
export const DESCHEDULER = 'sigs.k8s.io/descheduler';
/** On launcher pods: the guest is on its way, and the descheduler need not ask again. */
export const EVICTION_IN_PROGRESS_ANNOTATION = 'descheduler.alpha.kubernetes.io/eviction-in-progress';
/** The condition of a VMI that is to leave its node. */
export const EVICTION_REQUESTED = 'EvictionRequested';
/** The taint of nodes that VMIs are to leave, unless the cluster names another. */
export const DEFAULT_DRAIN_TAINT_KEY = 'kubevirt.io/drain';

/** On nodes whose host is shutting down: they are cordoned until their next start. */
export const CORDONED_FOR_SHUTDOWN_ANNOTATION = 'vireo.io/cordoned-for-shutdown';

/** Whether the guest can move to another node while it runs. */
export const isMigratable = (vmi: VirtualMachineInstance): boolean => isConditionTrue(vmi, 'LiveMigratable');

/** The VMI that a launcher pod is for, and undefined for any other pod. */
export const vmiOfLauncher = ({ metadata }: Pod): { readonly name: string; readonly uid: string } | undefined =>
  metadata.ownerReferences?.find(({ controller, kind }) => controller && kind === 'VirtualMachineInstance');
