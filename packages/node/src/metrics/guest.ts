import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { labelText } from '@vireo/kube';
import type { TypedParameters } from '@vireo/libvirt';
import type { DomainView } from '../vmi/domainView.ts';
import type { AgentReport } from './agentReport.ts';
import type { Counters } from './cardCounters.ts';

/** A guest that runs, and what is known of it when metrics are read. */
export interface MeasuredGuest {
  readonly node: string;
  readonly vmi: Vmi;
  readonly view: Pick<DomainView, 'diskTargets' | 'interfaces'>;
  /** libvirt's, by its names. */
  readonly stats: TypedParameters;
  /** What cards on devices of the node's own have carried, by device, as the guest sees it. */
  readonly counters: ReadonlyMap<string, Counters>;
  /** What its agent reported last. */
  readonly report: AgentReport;
  /** How far its migration is, by libvirt's names, while it moves. */
  readonly migration?: TypedParameters | undefined;
}

/** What every metric of a guest begins with. */
export const PLACE = ['node', 'namespace', 'name'] as const;

export const placeOf = ({ node, vmi }: MeasuredGuest): string[] => [
  node,
  vmi.metadata.namespace ?? '',
  vmi.metadata.name,
];

/** The labels of a VMI as KubeVirt puts them on its metrics; of two that read alike there the last counts. */
export function ownLabels({ metadata }: Vmi): string {
  const labels = new Map(
    Object.entries(metadata.labels ?? {}).map(([name, value]) => [
      `kubernetes_vmi_label_${name.replace(/[./-]/g, '_')}`,
      value,
    ]),
  );
  return labelText([...labels.keys()], [...labels.values()]);
}
