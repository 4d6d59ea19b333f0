import { type ConditionDraft, controllerReference } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { waitsForData } from '@vireo/api/kinds/cdi/populated.ts';
import { CREATED_BY_LABEL } from '@vireo/api/kinds/kubevirt/names.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Draft } from '@vireo/kube';
import { claimsToStart, type Disks, fillingText } from '../claims.ts';
import type { StorageState } from './printableStatus.ts';

type Template = NonNullable<Vm['spec']['dataVolumeTemplates']>[number];

/** Says `false`: the DataVolumes of a VM are made when it is started, not before. */
const IMMEDIATELY = 'kubevirt.io/immediate-data-volume-creation';

export const isMadeOnStart = ({ metadata }: Vm): boolean => metadata.annotations?.[IMMEDIATELY] === 'false';

/** The DataVolumes that the templates of a VM ask for and that are not there. A claim of the name will do. */
export function missingDataVolumes(vm: Vm, disks: Disks): Draft<DataVolume>[] {
  return (vm.spec.dataVolumeTemplates ?? [])
    .filter(({ metadata }) => !disks.dataVolume(nameOf(metadata)) && !disks.claim(nameOf(metadata)))
    .map((template) => dataVolumeFrom(vm, template));
}

const nameOf = (metadata: Template['metadata']): string => metadata?.name ?? '';

function dataVolumeFrom(vm: Vm, { metadata, spec }: Template): Draft<DataVolume> {
  return {
    apiVersion: `${DataVolume.group}/${DataVolume.version}`,
    kind: DataVolume.kind,
    metadata: {
      name: metadata?.name,
      namespace: vm.metadata.namespace,
      labels: { ...metadata?.labels, [CREATED_BY_LABEL]: vm.metadata.uid },
      annotations: { ...metadata?.annotations },
      ownerReferences: [controllerReference(vm, Vm)],
    },
    spec: spec as DataVolume['spec'],
  };
}

/** Whether the VM can be started as far as its own DataVolumes go. One that waits for a consumer waits for that. */
export function areTemplatesReady(vm: Vm, disks: Disks): boolean {
  return (vm.spec.dataVolumeTemplates ?? []).every(({ metadata }) => {
    const dataVolume = disks.dataVolume(nameOf(metadata));
    const claim = disks.claim(nameOf(metadata));
    if (!dataVolume) return claim !== undefined && !waitsForData(claim);
    return ['Succeeded', 'WaitForFirstConsumer', 'PendingPopulation'].includes(dataVolume.status?.phase ?? '');
  });
}

/** How far the disks of a VM are. */
export function storageState(vm: Vm, isSetToStart: boolean, disks: Disks): StorageState {
  const onClaims = claimsToStart(vm.spec.template.spec?.volumes).map(({ claim }) => claim);
  const templates = (vm.spec.dataVolumeTemplates ?? []).map(({ metadata }) => nameOf(metadata));
  const found = [...new Set([...onClaims, ...templates])].map((name) => ({
    dataVolume: disks.dataVolume(name),
    claim: disks.claim(name),
  }));
  if (found.some(({ dataVolume }) => dataVolume && hasFailed(dataVolume))) return 'failed';
  if (found.some(({ dataVolume }) => dataVolume && isInProgress(dataVolume))) return 'provisioning';
  const isUnbound = found.some(({ claim }) => claim !== undefined && claim.status?.phase !== 'Bound');
  return isSetToStart && isUnbound ? 'waitingForBinding' : 'ready';
}

/** What a VM that has no VMI yet waits for: its DataVolumes are not filled. */
export function unfilledCondition(vm: Vm, disks: Disks): ConditionDraft | undefined {
  const unfilled = (vm.spec.dataVolumeTemplates ?? [])
    .map(({ metadata }) => disks.dataVolume(nameOf(metadata)))
    .find((dataVolume) => dataVolume && isInProgress(dataVolume));
  if (!unfilled) return undefined;
  return { type: 'DataVolumesReady', status: 'False', reason: 'NotAllDVsReady', message: fillingText(unfilled) };
}

function hasFailed({ status }: DataVolume): boolean {
  if (status?.phase === 'Failed' || status?.phase === 'Unknown') return true;
  return status?.conditions?.some(({ type, reason }) => type === 'Running' && reason === 'Error') ?? false;
}

const isInProgress = ({ status }: DataVolume): boolean =>
  !['Succeeded', 'WaitForFirstConsumer', 'PendingPopulation'].includes(status?.phase ?? '');
