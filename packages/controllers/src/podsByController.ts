import type { KubeObject } from '@vireo/api';

/** The index of pods by the uid of what controls them: one function, for informers are shared. */
export const PODS_BY_CONTROLLER = {
  controller: ({ metadata }: KubeObject): string[] =>
    (metadata.ownerReferences ?? []).filter(({ controller }) => controller).map(({ uid }) => uid),
};
