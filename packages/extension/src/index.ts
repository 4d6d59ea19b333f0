export * from './actions/action.ts';
export { resourceList } from './actions/discovery.ts';
export { ACTIONS } from './actions/table.ts';
export { RULES } from './admission/rules.ts';
export { isSupportedKind, UNSUPPORTED_KINDS } from './admission/unsupportedKinds.ts';
export { type Authorize, alreadyAuthorized, byServerInProcess, bySubjectAccessReview } from './authorize.ts';
export { createExtension, type Extension, type ExtensionOptions } from './extension.ts';
export { STEVE_ROOT } from './harvester/steve/paths.ts';
export { isComponent, USER } from './identity.ts';
export { clusterObjects, EXTENSION_PORT, IMPERSONATOR, impersonationObjects } from './install/cluster.ts';
export { installObjects } from './install/objects.ts';
export { tokenOf } from './listener/authenticate.ts';
export { type Listener, type ListenerOptions, listen } from './listener/listener.ts';
export { ASKS_EXTENSION, reachExtension } from './remote/reach.ts';
export { type ServedExtension, type ServeOptions, serveExtension } from './remote/serve.ts';
export { type ConnectNodesOptions, connectNodes } from './streams/connectNodes.ts';
export {
  type Dial,
  inProcessNode,
  type NodeConnections,
  unixSocket,
} from './streams/nodeConnections.ts';
export {
  type ArchiveFile,
  Archives,
  clusterFiles,
  SUPPORT_KINDS,
  type Support,
  writeArchive,
} from './support/index.ts';
export { UPLOAD_PATHS } from './uploads/endpoint.ts';
