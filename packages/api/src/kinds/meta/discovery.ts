import { boolean, type Infer, list, opt, req, string, struct } from '../../schema.ts';

export const GroupVersionForDiscovery = struct(
  'io.k8s.apimachinery.pkg.apis.meta.v1.GroupVersionForDiscovery',
  'A version of an API group.',
  {
    groupVersion: req(1, string, 'Group and version, as group/version.'),
    version: req(2, string, 'Name of the version.'),
  },
);
export interface GroupVersionForDiscovery extends Infer<typeof GroupVersionForDiscovery> {}

export const ServerAddressByClientCIDR = struct(
  'io.k8s.apimachinery.pkg.apis.meta.v1.ServerAddressByClientCIDR',
  'Address of the server for some clients.',
  {
    clientCIDR: req(1, string, 'Clients that use the address, as a CIDR.'),
    serverAddress: req(2, string, 'Address of the server, as host:port.'),
  },
);
export interface ServerAddressByClientCIDR extends Infer<typeof ServerAddressByClientCIDR> {}

export const APIVersionsSchema = struct(
  'io.k8s.apimachinery.pkg.apis.meta.v1.APIVersions',
  'The versions of the core group.',
  {
    apiVersion: opt(undefined, string, 'Group and version of the object.'),
    kind: opt(undefined, string, 'Kind of the object.'),
    serverAddressByClientCIDRs: req(2, list(ServerAddressByClientCIDR, 'atomic'), 'Where clients reach the server.'),
    versions: req(1, list(string, 'atomic'), 'The versions that are served.'),
  },
);

export const APIGroupSchema = struct(
  'io.k8s.apimachinery.pkg.apis.meta.v1.APIGroup',
  'An API group and its versions.',
  {
    apiVersion: opt(undefined, string, 'Group and version of the object.'),
    kind: opt(undefined, string, 'Kind of the object.'),
    name: req(1, string, 'Name of the group.'),
    preferredVersion: opt(3, GroupVersionForDiscovery, 'The version that clients should take.'),
    serverAddressByClientCIDRs: opt(4, list(ServerAddressByClientCIDR, 'atomic'), 'Where clients reach the server.'),
    versions: req(2, list(GroupVersionForDiscovery, 'atomic'), 'Versions of the group.'),
  },
);
export interface APIGroup extends Infer<typeof APIGroupSchema> {}

export const APIGroupListSchema = struct(
  'io.k8s.apimachinery.pkg.apis.meta.v1.APIGroupList',
  'All API groups of the server.',
  {
    apiVersion: opt(undefined, string, 'Group and version of the object.'),
    groups: req(1, list(APIGroupSchema, 'atomic'), 'All API groups of the server.'),
    kind: opt(undefined, string, 'Kind of the object.'),
  },
);
export interface APIGroupList extends Infer<typeof APIGroupListSchema> {}

export const APIResource = struct('io.k8s.apimachinery.pkg.apis.meta.v1.APIResource', 'A resource of the API.', {
  categories: opt(7, list(string, 'atomic'), 'Categories that the resource belongs to, such as all.'),
  group: opt(8, string, 'Group of its kind, where that differs.'),
  kind: req(3, string, 'Kind of the object.'),
  name: req(1, string, 'Plural name, as used in URLs.'),
  namespaced: req(2, boolean, 'Whether its objects are in namespaces.'),
  shortNames: opt(5, list(string, 'atomic'), 'Short names for kubectl.'),
  singularName: req(6, string, 'Singular name, in lower case.'),
  storageVersionHash: opt(10, string, 'Changes when the stored version does.'),
  verbs: req(4, { ...list(string), protoMessage: 'strings' }, 'What can be done with it.'),
  version: opt(9, string, 'Version of its kind, where that differs.'),
});
export interface APIResource extends Infer<typeof APIResource> {}

export const APIResourceListSchema = struct(
  'io.k8s.apimachinery.pkg.apis.meta.v1.APIResourceList',
  'Resources of a group in one version.',
  {
    apiVersion: opt(undefined, string, 'Group and version of the object.'),
    groupVersion: req(1, string, 'Group and version, as group/version.'),
    kind: opt(undefined, string, 'Kind of the object.'),
    resources: req(2, list(APIResource, 'atomic'), 'Resources of the group and version.'),
  },
);
export interface APIResourceList extends Infer<typeof APIResourceListSchema> {}

export const VersionInfoSchema = struct('io.k8s.apimachinery.pkg.version.Info', 'Version of the server.', {
  buildDate: req(6, string, 'When the server was built.'),
  compiler: req(8, string, 'What compiled the server.'),
  gitCommit: req(4, string, 'The commit that the server was built from.'),
  gitTreeState: req(5, string, 'Whether it was built from exactly that commit.'),
  gitVersion: req(3, string, 'Version of Kubernetes whose API is served.'),
  goVersion: req(7, string, 'What runs the server.'),
  major: req(1, string, 'First number of the version.'),
  minor: req(2, string, 'Second number of the version.'),
  platform: req(9, string, 'Operating system and architecture.'),
});
