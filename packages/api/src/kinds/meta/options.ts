import { boolean, type Infer, int64, list, opt, string, struct } from '../../schema.ts';

const typeFields = {
  apiVersion: opt(undefined, string, 'Group and version of the object.'),
  kind: opt(undefined, string, 'Kind of the object.'),
};
const dryRun = opt(1, list(string, 'atomic'), 'All, to check and write nothing.');
const MANAGER = 'Who makes the change.';
const VALIDATION = 'What becomes of unknown and repeated fields: Ignore, Warn or Strict.';

export const CreateOptionsSchema = struct(
  'io.k8s.apimachinery.pkg.apis.meta.v1.CreateOptions',
  'How to create an object.',
  { ...typeFields, dryRun, fieldManager: opt(3, string, MANAGER), fieldValidation: opt(4, string, VALIDATION) },
);
export interface CreateOptions extends Infer<typeof CreateOptionsSchema> {}

export const UpdateOptionsSchema = struct(
  'io.k8s.apimachinery.pkg.apis.meta.v1.UpdateOptions',
  'How to replace an object.',
  { ...typeFields, dryRun, fieldManager: opt(2, string, MANAGER), fieldValidation: opt(3, string, VALIDATION) },
);
export interface UpdateOptions extends Infer<typeof UpdateOptionsSchema> {}

export const PatchOptionsSchema = struct(
  'io.k8s.apimachinery.pkg.apis.meta.v1.PatchOptions',
  'How to patch an object.',
  {
    ...typeFields,
    dryRun,
    fieldManager: opt(3, string, MANAGER),
    fieldValidation: opt(4, string, VALIDATION),
    force: opt(2, boolean, { pointer: true, doc: 'Whether to take fields over from other managers.' }),
  },
);
export interface PatchOptions extends Infer<typeof PatchOptionsSchema> {}

export const GetOptionsSchema = struct('io.k8s.apimachinery.pkg.apis.meta.v1.GetOptions', 'How to read an object.', {
  ...typeFields,
  resourceVersion: opt(1, string, 'The version that the answer must at least have.'),
});
export interface GetOptions extends Infer<typeof GetOptionsSchema> {}

export const ListOptionsSchema = struct(
  'io.k8s.apimachinery.pkg.apis.meta.v1.ListOptions',
  'What to list or watch, and from when.',
  {
    ...typeFields,
    allowWatchBookmarks: opt(9, boolean, 'Whether a watch may tell how far it has come.'),
    continue: opt(8, string, 'Where the last page ended.'),
    fieldSelector: opt(2, string, 'Selects by fields.'),
    labelSelector: opt(1, string, 'Selects by labels.'),
    limit: opt(7, int64, 'How many objects a page has at most.'),
    resourceVersion: opt(4, string, 'The version to start from.'),
    resourceVersionMatch: opt(10, string, 'How resourceVersion is meant: Exact or NotOlderThan.'),
    sendInitialEvents: opt(11, boolean, { pointer: true, doc: 'Whether a watch begins with what there is.' }),
    timeoutSeconds: opt(5, int64, { pointer: true, doc: 'When the answer ends.' }),
    watch: opt(3, boolean, 'Whether to go on with changes.'),
  },
);
export interface ListOptions extends Infer<typeof ListOptionsSchema> {}
