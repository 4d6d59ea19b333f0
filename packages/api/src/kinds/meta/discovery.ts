import { boolean, type Infer, list, opt, req, string, struct } from '../../schema.ts';

export const GroupVersionForDiscovery = struct('io.k8s.apimachinery.pkg.apis.meta.v1.GroupVersionForDiscovery', '', {
  groupVersion: req(1, string),
  version: req(2, string),
});
export interface GroupVersionForDiscovery extends Infer<typeof GroupVersionForDiscovery> {}

export const ServerAddressByClientCIDR = struct('io.k8s.apimachinery.pkg.apis.meta.v1.ServerAddressByClientCIDR', '', {
  clientCIDR: req(1, string),
  serverAddress: req(2, string),
});
export interface ServerAddressByClientCIDR extends Infer<typeof ServerAddressByClientCIDR> {}

export const APIGroupSchema = struct('io.k8s.apimachinery.pkg.apis.meta.v1.APIGroup', '', {
  apiVersion: opt(undefined, string),
  kind: opt(undefined, string),
  name: req(1, string),
  preferredVersion: opt(3, GroupVersionForDiscovery),
  serverAddressByClientCIDRs: opt(4, list(ServerAddressByClientCIDR, 'atomic')),
  versions: req(2, list(GroupVersionForDiscovery, 'atomic')),
});
export interface APIGroup extends Infer<typeof APIGroupSchema> {}

export const APIGroupListSchema = struct('io.k8s.apimachinery.pkg.apis.meta.v1.APIGroupList', '', {
  apiVersion: opt(undefined, string),
  groups: req(1, list(APIGroupSchema, 'atomic')),
  kind: opt(undefined, string),
});
export interface APIGroupList extends Infer<typeof APIGroupListSchema> {}

export const APIResource = struct('io.k8s.apimachinery.pkg.apis.meta.v1.APIResource', '', {
  categories: opt(7, list(string, 'atomic')),
  group: opt(8, string),
  kind: req(3, string),
  name: req(1, string),
  namespaced: req(2, boolean),
  shortNames: opt(5, list(string, 'atomic')),
  singularName: req(6, string),
  storageVersionHash: opt(10, string),
  verbs: req(4, { ...list(string), protoMessage: 'strings' }),
  version: opt(9, string),
});
export interface APIResource extends Infer<typeof APIResource> {}

export const APIResourceListSchema = struct('io.k8s.apimachinery.pkg.apis.meta.v1.APIResourceList', '', {
  apiVersion: opt(undefined, string),
  groupVersion: req(1, string),
  kind: opt(undefined, string),
  resources: req(2, list(APIResource, 'atomic')),
});
export interface APIResourceList extends Infer<typeof APIResourceListSchema> {}
