import {
  APIGroupListSchema,
  APIGroupSchema,
  APIResourceListSchema,
  APIVersionsSchema,
  type Schema,
  VersionInfoSchema,
} from '@vireo/api';
import { JSON_TYPE, PROTOBUF_TYPE, YAML_TYPE } from '../decode/body.ts';
import { operationId, operationTag } from './operationIds.ts';
import type { ApiPath, Operation } from './operations.ts';

const types = [JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE];

const get = (
  path: string,
  operation: Pick<Operation, 'id' | 'tag' | 'description'>,
  answer: Schema,
  only = types,
): ApiPath => ({
  path,
  operations: { get: { ...operation, consumes: only, produces: only, parameters: [], responses: { 200: answer } } },
});

/** What is served beside the resources: which groups there are, and the version. */
export const serverPaths: readonly ApiPath[] = [
  get('/api/', { id: 'getCoreAPIVersions', tag: 'core', description: 'get available API versions' }, APIVersionsSchema),
  get('/apis/', { id: 'getAPIVersions', tag: 'apis', description: 'get available API versions' }, APIGroupListSchema),
  get(
    '/version/',
    { id: 'getCodeVersion', tag: 'version', description: 'get the version of the server' },
    VersionInfoSchema,
    [JSON_TYPE],
  ),
];

/** What is served beside the resources of a built-in group: its versions, and what they have. */
export function groupPaths(group: string, versions: readonly string[]): ApiPath[] {
  const root = group === '' ? '/api' : `/apis/${group}`;
  const id = (version: string, what: string): string => operationId('get', group, version, what);
  const resources = versions.map((version) =>
    get(
      `${root}/${version}/`,
      { id: id(version, 'APIResources'), tag: operationTag(group, version), description: 'get available resources' },
      APIResourceListSchema,
    ),
  );
  if (group === '') return resources;
  const description = 'get information of a group';
  return [
    get(`${root}/`, { id: id('', 'APIGroup'), tag: operationTag(group), description }, APIGroupSchema),
    ...resources,
  ];
}
