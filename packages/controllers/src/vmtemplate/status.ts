import { type ConditionDraft, mergeConditions } from '@vireo/api';
import type { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { templateProblems } from '@vireo/api/kinds/template/process.ts';
import type {
  VirtualMachineTemplate,
  VirtualMachineTemplateStatus,
} from '@vireo/api/kinds/template/virtualMachineTemplate.ts';

/** The status that a template should have. `disks`: those that it owns. */
export function vmTemplateStatus(
  template: VirtualMachineTemplate,
  disks: readonly DataVolume[],
  now: Date,
): VirtualMachineTemplateStatus {
  const stamp = { observedGeneration: template.metadata.generation };
  return {
    conditions: mergeConditions(template.status?.conditions, [readyCondition(template, disks)], now, { stamp }),
  };
}

function readyCondition({ spec }: VirtualMachineTemplate, disks: readonly DataVolume[]): ConditionDraft {
  const [error] = templateProblems(spec).errors;
  if (error)
    return { type: 'Ready', status: 'False', reason: 'InvalidTemplate', message: `${error.field}: ${error.text}` };
  const waiting = disks.filter(({ status }) => status?.phase !== 'Succeeded').map(({ metadata }) => metadata.name);
  if (waiting.length > 0)
    return {
      type: 'Ready',
      status: 'False',
      reason: 'Waiting',
      message: `DataVolume ${waiting.join(', ')} is not ready`,
    };
  return { type: 'Ready', status: 'True', reason: 'Reconciled', message: 'The template can be processed' };
}
