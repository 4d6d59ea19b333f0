import { type FieldError, fieldError } from '@vireo/api';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import {
  canonicalHypervisor,
  clusterConfig,
  configuredHypervisors,
  HYPERVISOR_GATE,
  hypervisorNames,
} from '@vireo/hypervisor';
import type { ValidatingRule } from './rule.ts';

/** The hypervisor that an installation asks for is one that there is. */
export const hypervisorChoice: ValidatingRule<KubeVirt> = {
  type: 'validating',
  webhook: 'kubevirt-update-validator.kubevirt.io',
  path: '/kubevirt-validate-update',
  kinds: [KubeVirt],
  operations: ['CREATE', 'UPDATE'],
  validate: async ({ object, oldObject }) => ({
    errors: unknownHypervisors(object, oldObject),
    warnings: consequences(object, oldObject),
  }),
};

/** Names that nobody registered. One that was there before stays: its plug-in may be gone, and other settings must not wait for it. */
function unknownHypervisors(object: KubeVirt, oldObject: KubeVirt | undefined): FieldError[] {
  const before = new Set(hypervisorsOf(oldObject).map(({ name }) => name));
  return hypervisorsOf(object)
    .filter(({ name }) => canonicalHypervisor(name) === undefined && !before.has(name))
    .map(({ field, name }) =>
      fieldError(
        field,
        `${field}: unknown hypervisor ${JSON.stringify(name)}; choose one of ${hypervisorNames().join(', ')}`,
        'FieldValueNotSupported',
      ),
    );
}

const hypervisorsOf = (object: KubeVirt | undefined) => configuredHypervisors(object?.spec?.configuration ?? {});

/** What a choice does not do, for those who make it. */
function consequences(object: KubeVirt, oldObject: KubeVirt | undefined): string[] {
  const { hypervisor, gates } = clusterConfig(object);
  const isChanged = oldObject !== undefined && clusterConfig(oldObject).hypervisor !== hypervisor;
  const ignored = gates.has(HYPERVISOR_GATE) ? undefined : hypervisorsOf(object)[0];
  return [
    ...(ignored ? [`${ignored.field} is ignored: the feature gate ${HYPERVISOR_GATE} is not enabled`] : []),
    ...(isChanged ? [`new VMs run on ${hypervisor}; running VMs keep their hypervisor until they are restarted`] : []),
  ];
}
