import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { MATCHER_FIELDS } from '@vireo/hypervisor';

/** The spec of a VM with the revisions that it uses written into its matchers: the same VM at any time. */
export function withRevisionNames({ spec, status }: Vm): Vm['spec'] {
  const matchers = MATCHER_FIELDS.flatMap((field) => {
    const matcher = spec[field];
    const revisionName = matcher?.revisionName || status?.[`${field}Ref`]?.controllerRevisionRef?.name;
    return matcher && revisionName ? [[field, { ...matcher, revisionName }]] : [];
  });
  return { ...spec, ...Object.fromEntries(matchers) };
}
