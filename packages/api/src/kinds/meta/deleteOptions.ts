import { boolean, type Infer, int64, list, opt, string, struct } from '../../schema.ts';

export const Preconditions = struct(
  'io.k8s.apimachinery.pkg.apis.meta.v1.Preconditions',
  'Preconditions of a deletion.',
  {
    resourceVersion: opt(2, string, { pointer: true, doc: 'The version that the object must have.' }),
    uid: opt(1, string, { pointer: true, doc: 'The UID that the object must have.' }),
  },
);
export interface Preconditions extends Infer<typeof Preconditions> {}

export const DeleteOptionsSchema = struct(
  'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions',
  'Options of a delete request.',
  {
    apiVersion: opt(undefined, string, 'Group and version of the object.'),
    dryRun: opt(5, list(string, 'atomic'), 'All, to check and delete nothing.'),
    gracePeriodSeconds: opt(1, int64, {
      pointer: true,
      doc: 'Seconds the object has to end by itself; 0 for at once.',
    }),
    ignoreStoreReadErrorWithClusterBreakingPotential: opt(6, boolean, {
      pointer: true,
      doc: 'Whether to delete an object that cannot be read. Nothing is cleaned up.',
    }),
    kind: opt(undefined, string, 'Kind of the object.'),
    orphanDependents: opt(3, boolean, { pointer: true, doc: 'Old form of propagationPolicy: Orphan.' }),
    preconditions: opt(2, Preconditions, 'Preconditions of the deletion.'),
    propagationPolicy: opt(4, string, {
      pointer: true,
      doc: 'What happens to dependents: Orphan, Background or Foreground.',
    }),
  },
);
export interface DeleteOptions extends Infer<typeof DeleteOptionsSchema> {}
