/** The kinds that controllers deal with, and what they say of themselves. */
export { isControlledBy, isDeleting, ownersOf } from '@vireo/api';
export * from '@vireo/api/kinds/kubevirt/vm.ts';
export * from '@vireo/api/kinds/kubevirt/vmi.ts';
