import { boolean, type Infer, int64, list, opt, string, struct } from '../../schema.ts';

const typeFields = {
  apiVersion: opt(undefined, string, 'Group and version of the object.'),
  kind: opt(undefined, string, 'Kind of the object.'),
};
const dryRun = opt(1, list(string, 'atomic'), 'All, to check and write nothing.');
const MANAGER = 'Name of the client that makes the change, for managedFields.';
const VALIDATION = 'What happens to unknown and duplicate fields: Ignore, Warn or Strict.';

export const CreateOptionsSchema = struct(
  'io.k8s.apimachinery.pkg.apis.meta.v1.CreateOptions',
  'Options of a create request.',
  { ...typeFields, dryRun, fieldManager: opt(3, string, MANAGER), fieldValidation: opt(4, string, VALIDATION) },
);
export interface CreateOptions extends Infer<typeof CreateOptionsSchema> {}

export const UpdateOptionsSchema = struct(
  'io.k8s.apimachinery.pkg.apis.meta.v1.UpdateOptions',
  'Options of an update request.',
  { ...typeFields, dryRun, fieldManager: opt(2, string, MANAGER), fieldValidation: opt(3, string, VALIDATION) },
);
export interface UpdateOptions extends Infer<typeof UpdateOptionsSchema> {}

export const PatchOptionsSchema = struct(
  'io.k8s.apimachinery.pkg.apis.meta.v1.PatchOptions',
  'Options of a patch request.',
  {
    ...typeFields,
    dryRun,
    fieldManager: opt(3, string, MANAGER),
    fieldValidation: opt(4, string, VALIDATION),
    force: opt(2, boolean, { pointer: true, doc: 'Whether to take fields over from other managers.' }),
  },
);
export interface PatchOptions extends Infer<typeof PatchOptionsSchema> {}

export const GetOptionsSchema = struct('io.k8s.apimachinery.pkg.apis.meta.v1.GetOptions', 'Options of a get request.', {
  ...typeFields,
  resourceVersion: opt(1, string, 'The version that the answer must at least have.'),
});
export interface GetOptions extends Infer<typeof GetOptionsSchema> {}

export const ListOptionsSchema = struct(
  'io.k8s.apimachinery.pkg.apis.meta.v1.ListOptions',
  'Options of a list or watch request.',
  {
    ...typeFields,
    allowWatchBookmarks: opt(9, boolean, 'Whether a watch may tell how far it has come.'),
    continue: opt(8, string, 'Token from metadata.continue of the last page, to get the next one.'),
    fieldSelector: opt(2, string, 'Selects objects by their fields.'),
    labelSelector: opt(1, string, 'Selects objects by their labels.'),
    limit: opt(7, int64, 'Maximum number of objects in a page.'),
    resourceVersion: opt(4, string, 'The version to start from.'),
    resourceVersionMatch: opt(10, string, 'How resourceVersion is meant: Exact or NotOlderThan.'),
    sendInitialEvents: opt(11, boolean, { pointer: true, doc: 'Whether a watch begins with what there is.' }),
    timeoutSeconds: opt(5, int64, { pointer: true, doc: 'Seconds after which the server ends the response.' }),
    watch: opt(3, boolean, 'Whether to go on with changes.'),
  },
);
export interface ListOptions extends Infer<typeof ListOptionsSchema> {}
