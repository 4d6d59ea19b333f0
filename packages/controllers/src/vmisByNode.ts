import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';

/** The index of VMIs by the node that has them: one function, for informers are shared. */
export const VMIS_BY_NODE = { node: ({ status }: Vmi): string[] => [status?.nodeName ?? ''] };
