import { type FieldError, fieldError } from '@vireo/api';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import {
  canonicalHypervisor,
  clusterConfig,
  HYPERVISOR_GATE,
  hypervisorNames,
  hypervisorsNamed,
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
        `${field}: there is no hypervisor ${JSON.stringify(name)} (known ones: ${hypervisorNames().join(', ')})`,
        'FieldValueNotSupported',
      ),
    );
}

const hypervisorsOf = (object: KubeVirt | undefined) => hypervisorsNamed(object?.spec?.configuration ?? {});

/** What a choice does not do, for those who make it. */
function consequences(object: KubeVirt, oldObject: KubeVirt | undefined): string[] {
  const { hypervisor, gates } = clusterConfig(object);
  const isChanged = oldObject !== undefined && clusterConfig(oldObject).hypervisor !== hypervisor;
  const ignored = gates.has(HYPERVISOR_GATE) ? undefined : hypervisorsOf(object)[0];
  return [
    ...(ignored ? [`${ignored.field} is not looked at: the feature gate ${HYPERVISOR_GATE} is closed`] : []),
    ...(isChanged
      ? [`new machines run by ${hypervisor}; those that run already stay as they are until they are started anew`]
      : []),
  ];
}
