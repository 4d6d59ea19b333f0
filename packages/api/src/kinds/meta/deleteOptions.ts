import { boolean, type Infer, int64, list, opt, string, struct } from '../../schema.ts';

export const Preconditions = struct('io.k8s.apimachinery.pkg.apis.meta.v1.Preconditions', '', {
  resourceVersion: opt(2, string),
  uid: opt(1, string),
});
export interface Preconditions extends Infer<typeof Preconditions> {}

export const DeleteOptionsSchema = struct('io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions', '', {
  apiVersion: opt(undefined, string),
  dryRun: opt(5, list(string, 'atomic')),
  gracePeriodSeconds: opt(1, int64),
  ignoreStoreReadErrorWithClusterBreakingPotential: opt(6, boolean),
  kind: opt(undefined, string),
  orphanDependents: opt(3, boolean),
  preconditions: opt(2, Preconditions),
  propagationPolicy: opt(4, string),
});
export interface DeleteOptions extends Infer<typeof DeleteOptionsSchema> {}
