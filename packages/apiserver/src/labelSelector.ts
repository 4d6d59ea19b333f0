export { matchesLabelSelector } from '@vireo/api/labelSelector.ts';
