import { withArticle } from './operationIds.ts';
import {
  DELETE_COLLECTION_PARAMETERS,
  DELETE_PARAMETERS,
  GET_PARAMETERS,
  LIST_PARAMETERS,
  PATCH_PARAMETERS,
  type Parameter,
  WRITE_PARAMETERS,
} from './parameters.ts';

export type Method = 'get' | 'put' | 'post' | 'delete' | 'patch';

/** An operation of any resource; `verb` is RBAC's. */
export interface Template {
  readonly verb: string;
  readonly action: string;
  /** How its name begins, before the group. */
  readonly word: string;
  readonly parameters: readonly Parameter[];
  readonly describe: (kind: string, of: string) => string;
  readonly body?: 'object' | 'patch' | 'deleteOptions' | undefined;
  readonly answer: 'object' | 'list' | 'status' | 'event';
  /** Besides 200. */
  readonly codes?: readonly number[];
  readonly beginning?: string;
  readonly ending?: string;
}

/** What is done at one path, by method. */
export type Templates = Readonly<Partial<Record<Method, Template>>>;

export const LIST: Template = {
  verb: 'list',
  action: 'list',
  word: 'list',
  parameters: LIST_PARAMETERS,
  describe: (kind) => `list or watch objects of kind ${kind}`,
  answer: 'list',
};
export const CREATE: Template = {
  verb: 'create',
  action: 'post',
  word: 'create',
  parameters: WRITE_PARAMETERS,
  describe: (kind, of) => `create ${of ? `${of} of ` : ''}${withArticle(kind)}`,
  body: 'object',
  answer: 'object',
  codes: [201, 202],
};
export const COLLECTION: Templates = {
  get: LIST,
  post: CREATE,
  delete: {
    verb: 'deletecollection',
    action: 'deletecollection',
    word: 'delete',
    beginning: 'Collection',
    parameters: DELETE_COLLECTION_PARAMETERS,
    describe: (kind) => `delete collection of ${kind}`,
    body: 'deleteOptions',
    answer: 'status',
  },
};
/** Of objects and of what lies below them. */
export const CHANGE: Templates = {
  get: {
    verb: 'get',
    action: 'get',
    word: 'read',
    parameters: [],
    describe: (kind, of) => `read ${of ? `${of} of ` : ''}the specified ${kind}`,
    answer: 'object',
  },
  put: {
    verb: 'update',
    action: 'put',
    word: 'replace',
    parameters: WRITE_PARAMETERS,
    describe: (kind, of) => `replace ${of ? `${of} of ` : ''}the specified ${kind}`,
    body: 'object',
    answer: 'object',
    codes: [201],
  },
  patch: {
    verb: 'patch',
    action: 'patch',
    word: 'patch',
    parameters: PATCH_PARAMETERS,
    describe: (kind, of) => `partially update ${of ? `${of} of ` : ''}the specified ${kind}`,
    body: 'patch',
    answer: 'object',
    codes: [201],
  },
};
export const OBJECT: Templates = {
  ...CHANGE,
  delete: {
    verb: 'delete',
    action: 'delete',
    word: 'delete',
    parameters: DELETE_PARAMETERS,
    describe: (kind) => `delete ${withArticle(kind)}`,
    body: 'deleteOptions',
    answer: 'status',
    codes: [202],
  },
};
export const WATCH: Template = {
  verb: 'watch',
  action: 'watch',
  word: 'watch',
  parameters: LIST_PARAMETERS,
  describe: (kind) => `watch changes to an object of kind ${kind}. Deprecated: list with watch and a fieldSelector.`,
  answer: 'event',
};
export const WATCH_LIST: Template = {
  ...WATCH,
  action: 'watchlist',
  describe: (kind) => `watch individual changes to a list of ${kind}. Deprecated: list with watch.`,
  ending: 'List',
};

/** Kubernetes describes some operations on custom resources a little differently. */
export const CUSTOM_COLLECTION: Templates = {
  ...COLLECTION,
  delete: { ...(COLLECTION.delete as Template), parameters: LIST_PARAMETERS, body: undefined },
};
export const CUSTOM_CHANGE: Templates = {
  ...CHANGE,
  get: { ...(CHANGE.get as Template), parameters: GET_PARAMETERS },
  patch: { ...(CHANGE.patch as Template), codes: [] },
};
