import { boolean, type Infer, list, opt, req, string, struct } from '../../schema.ts';

export const GroupVersionForDiscovery = struct(
  'io.k8s.apimachinery.pkg.apis.meta.v1.GroupVersionForDiscovery',
  'A version of a group.',
  {
    groupVersion: req(1, string, 'Group and version.'),
    version: req(2, string, 'The version alone.'),
  },
);
export interface GroupVersionForDiscovery extends Infer<typeof GroupVersionForDiscovery> {}

export const ServerAddressByClientCIDR = struct(
  'io.k8s.apimachinery.pkg.apis.meta.v1.ServerAddressByClientCIDR',
  'Where some clients reach the server.',
  {
    clientCIDR: req(1, string, 'Which clients.'),
    serverAddress: req(2, string, 'Where.'),
  },
);
export interface ServerAddressByClientCIDR extends Infer<typeof ServerAddressByClientCIDR> {}

export const APIGroupSchema = struct('io.k8s.apimachinery.pkg.apis.meta.v1.APIGroup', 'A group and its versions.', {
  apiVersion: opt(undefined, string, 'Group and version of the object.'),
  kind: opt(undefined, string, 'Kind of the object.'),
  name: req(1, string, 'Name of the group.'),
  preferredVersion: opt(3, GroupVersionForDiscovery, 'The version that clients should take.'),
  serverAddressByClientCIDRs: opt(4, list(ServerAddressByClientCIDR, 'atomic'), 'Where clients reach the server.'),
  versions: req(2, list(GroupVersionForDiscovery, 'atomic'), 'The versions.'),
});
export interface APIGroup extends Infer<typeof APIGroupSchema> {}

export const APIGroupListSchema = struct('io.k8s.apimachinery.pkg.apis.meta.v1.APIGroupList', 'All groups.', {
  apiVersion: opt(undefined, string, 'Group and version of the object.'),
  groups: req(1, list(APIGroupSchema, 'atomic'), 'The groups.'),
  kind: opt(undefined, string, 'Kind of the object.'),
});
export interface APIGroupList extends Infer<typeof APIGroupListSchema> {}

export const APIResource = struct(
  'io.k8s.apimachinery.pkg.apis.meta.v1.APIResource',
  'A resource that the server serves.',
  {
    categories: opt(7, list(string, 'atomic'), 'Groupings such as all.'),
    group: opt(8, string, 'Group of its kind, where that differs.'),
    kind: req(3, string, 'Kind of the object.'),
    name: req(1, string, 'Name in URLs, plural.'),
    namespaced: req(2, boolean, 'Whether its objects are in namespaces.'),
    shortNames: opt(5, list(string, 'atomic'), 'Short names.'),
    singularName: req(6, string, 'Name in the singular.'),
    storageVersionHash: opt(10, string, 'Changes when the stored version does.'),
    verbs: req(4, { ...list(string), protoMessage: 'strings' }, 'What can be done with it.'),
    version: opt(9, string, 'Version of its kind, where that differs.'),
  },
);
export interface APIResource extends Infer<typeof APIResource> {}

export const APIResourceListSchema = struct(
  'io.k8s.apimachinery.pkg.apis.meta.v1.APIResourceList',
  'The resources of a group in one version.',
  {
    apiVersion: opt(undefined, string, 'Group and version of the object.'),
    groupVersion: req(1, string, 'Group and version.'),
    kind: opt(undefined, string, 'Kind of the object.'),
    resources: req(2, list(APIResource, 'atomic'), 'The resources.'),
  },
);
export interface APIResourceList extends Infer<typeof APIResourceListSchema> {}
