import type { UnknownObject } from '@vireo/api';
import {
  type ApiHandler,
  consoleLog,
  exposition,
  Metrics,
  metricSelection,
  type NodeLogs,
  objectResponse,
  TEXT_FORMAT,
  type Transport,
  textResponse,
  type UserInfo,
} from '@vireo/kube';
import type { AdmissionPlugin } from './admission/admission.ts';
import { AdmissionChain } from './admission/chain.ts';
import { admittedKinds } from './admission/kinds.ts';
import { followPolicies } from './admission/policies/follow.ts';
import { MutatingPolicies } from './admission/policies/mutating.ts';
import { paramsInStore } from './admission/policies/params.ts';
import { ValidatingPolicies } from './admission/policies/validating.ts';
import { observeWebhooks } from './admission/webhooks/observe.ts';
import type { WebhookConfiguration } from './admission/webhooks/types.ts';
import { Webhooks } from './admission/webhooks/webhooks.ts';
import { Aggregation } from './aggregation/aggregation.ts';
import type { Auditor } from './audit/auditor.ts';
import { type Authenticator, createAuthenticator } from './auth/authenticate.ts';
import { lookupFrom } from './auth/lookup.ts';
import type { Providers } from './auth/oidc/providers.ts';
import type { Pki } from './auth/pki.ts';
import type { StaticToken } from './auth/staticTokens.ts';
import { createTokens, type Tokens } from './auth/tokens.ts';
import type { Core } from './core.ts';
import { CustomResources } from './crd/customResources.ts';
import type { Crd } from './crd/types.ts';
import { Discovery } from './discovery/discovery.ts';
import { createHandler } from './handler.ts';
import { Health } from './health.ts';
import { DirectRoutes } from './http/directRoutes.ts';
import { inProcessTransport } from './inProcess.ts';
import { NodeAuthorizer } from './nodeAuth/authorizer.ts';
import { NodeGraph } from './nodeAuth/graph.ts';
import { UnionAuthorizer } from './nodeAuth/union.ts';
import { type RemoteNodes, remoteNodes } from './nodes/remoteNodes.ts';
import { OpenApi } from './openapi/openapi.ts';
import { indexOfPaths, PathRoutes } from './paths.ts';
import { type Authorizer, RbacAuthorizer } from './rbac/authorize.ts';
import { rbacEscalation } from './rbac/escalation.ts';
import { registerBuiltinKinds } from './registry/builtin.ts';
import { follow } from './registry/follow.ts';
import { storeLookup } from './registry/lookup.ts';
import { Registry } from './registry/registry.ts';
import { virtualHandlers } from './reviews.ts';
import { Outbound } from './services/outbound/outbound.ts';
import { type Address, type ResolveService, serviceResolver } from './services/resolve.ts';
import { Services } from './services/services.ts';
import type { Store } from './store/store.ts';
import type { Lookup } from './strategies/strategy.ts';
import { builtinSubresources } from './subresources/builtin.ts';
import type { EvictionGate } from './subresources/pods.ts';
import { ListSnapshots } from './verbs/snapshots.ts';
import { VERSION } from './version.ts';
import { webhookClient } from './webhooks/client.ts';

export interface ApiServerOptions {
  readonly store: Store;
  readonly pki: Pki;
  readonly issuer: string;
  readonly staticTokens?: readonly StaticToken[];
  readonly providers?: Providers;
  /** Logs every request; missing: none is logged. */
  readonly auditor?: Auditor;
  /** Built-in admission plug-ins, which run before webhooks; made when the lookup of stored objects is there. */
  readonly plugins: (lookup: Lookup, authorizer: Authorizer) => readonly AdmissionPlugin[];
  readonly evictionGate: (transport: Transport, lookup: Lookup) => EvictionGate;
  /** Where the server itself listens, once it does. */
  readonly loopback?: () => Address | undefined;
}

/** The server without its sockets: everything that happens between a request and its response. */
export interface ApiServer {
  readonly handle: ApiHandler;
  readonly core: Core;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  /** Identity providers whose tokens are accepted. */
  readonly providers?: Pick<Providers, 'configurationOf'>;
  readonly tokens: Tokens;
  readonly services: Services;
  /** Finds Services that do not run in this process. */
  readonly resolveService: ResolveService;
  /** Makes the server's own calls to them. */
  readonly outbound: Outbound;
  readonly aggregation: Aggregation;
  readonly health: Health;
  /** Of the server itself. */
  readonly metrics: Metrics;
  /** Of all components that run in this process, by their names; those that are added are served with the server's. */
  readonly components: Map<string, Metrics>;
  /** What else is served on the port, such as uploads. */
  readonly directRoutes: DirectRoutes;
  /** Nodes in this process; the node agent adds itself. */
  readonly nodes: Map<string, NodeLogs>;
  /** Nodes elsewhere, by what their Nodes say. */
  readonly remoteNodes: RemoteNodes;
  /** A client's way in, as that user. */
  transportFor(user: UserInfo, userAgent?: string): Transport;
}

/** The server acting on its own behalf. */
export const LOOPBACK: UserInfo = {
  username: 'system:apiserver',
  groups: ['system:masters', 'system:authenticated'],
};

export function createApiServer(options: ApiServerOptions): ApiServer {
  const { store, pki } = options;
  const registry = new Registry();
  registerBuiltinKinds(registry);
  const lookup = storeLookup(store);
  const authLookup = lookupFrom(lookup.get);
  const tokens = createTokens({
    privateKeyPem: pki.serviceAccount.privateKeyPem,
    issuer: options.issuer,
    lookup: authLookup,
  });
  const authenticator = createAuthenticator({
    caPem: pki.ca.certPem,
    frontProxyCaPem: pki.frontProxyCa.certPem,
    tokens,
    lookup: authLookup,
    ...(options.providers && { providers: options.providers }),
    ...(options.staticTokens && { staticTokens: options.staticTokens }),
  });
  const rbac = new RbacAuthorizer();
  let nodeGraph: NodeGraph | undefined;
  const graphOfNodes = (): NodeGraph => {
    nodeGraph ??= NodeGraph.following(store);
    return nodeGraph;
  };
  const authorizer = new UnionAuthorizer(new NodeAuthorizer(graphOfNodes, lookup), rbac);
  const services = new Services();
  const resolveService = serviceResolver(lookup, options.loopback ?? (() => undefined));
  const outbound = new Outbound();
  const aggregation = new Aggregation(services, {
    resolve: resolveService,
    outbound,
    clientCertificate: pki.frontProxyClient,
  });
  const kinds = admittedKinds(registry);
  const metrics = new Metrics();
  const client = webhookClient(services, resolveService, outbound);
  const webhooks = new Webhooks({ client, lookup, kinds, authorizer, observer: observeWebhooks(metrics) });
  const policyContext = { ...kinds, lookup, params: paramsInStore(registry, store) };
  const mutatingPolicies = new MutatingPolicies(
    { ...policyContext, decode: kinds.decodeStrictly, versionsOf: kinds.renamedVersionsOf },
    authorizer,
  );
  const validatingPolicies = new ValidatingPolicies(policyContext, authorizer);
  const admission = new AdmissionChain();
  admission.add(...options.plugins(lookup, authorizer), mutatingPolicies, validatingPolicies, webhooks);
  admission.add(rbacEscalation(rbac));
  const core: Core = { store, registry, admission, lookup, snapshots: new ListSnapshots() };
  const customResources = new CustomResources(registry, client);
  const nodes = new Map<string, NodeLogs>();
  const remote = remoteNodes(lookup, pki);

  for (const resource of ['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'])
    follow(store, `rbac.authorization.k8s.io/${resource}`, rbac);
  follow(store, 'apiextensions.k8s.io/customresourcedefinitions', {
    update: (object) => customResources.update(object as UnknownObject & Crd),
    remove: (object) => customResources.remove(object as UnknownObject & Crd),
  });
  follow(store, 'apiregistration.k8s.io/apiservices', aggregation);
  for (const resource of ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'])
    follow(store, `admissionregistration.k8s.io/${resource}`, {
      update: (object) => webhooks.update(object as WebhookConfiguration),
      remove: (object) => webhooks.remove(object as WebhookConfiguration),
    });
  followPolicies(store, 'mutating', mutatingPolicies.set);
  followPolicies(store, 'validating', validatingPolicies.set);

  const paths = new PathRoutes();
  const health = new Health();
  const components = new Map([['kube-apiserver', metrics]]);
  const discovery = new Discovery(registry, aggregation);
  discovery.addTo(paths);
  new OpenApi(registry, aggregation).addTo(paths);
  health.addTo(paths);
  paths.add('/version', () => objectResponse(VERSION));
  const unreadable = (metric: string, error: unknown): void =>
    consoleLog.error('a metric cannot be read', undefined, { metric, error });
  paths.add('/metrics', async ({ query }) =>
    textResponse(await exposition(components, unreadable, metricSelection(query)), 200, TEXT_FORMAT),
  );
  paths.add('/.well-known/openid-configuration', () => objectResponse(tokens.openIdConfiguration()));
  paths.add('/openid/v1/jwks', () => objectResponse(tokens.jwks(), 200, { contentType: 'application/jwk-set+json' }));
  paths.add(
    '/',
    indexOfPaths(paths, () => [...registry.groupVersions().keys()].map(pathOf)),
  );

  let handle: ApiHandler = async () => {
    throw new Error('the server is not assembled yet');
  };
  const transportFor = (user: UserInfo, userAgent?: string): Transport =>
    inProcessTransport((request) => handle(request), user, userAgent);
  const subresources = builtinSubresources({
    tokens,
    authLookup,
    evictionGate: options.evictionGate(transportFor(LOOPBACK), lookup),
    connectionTo: (nodeName) => nodes.get(nodeName) ?? remote.get(nodeName),
  });
  const serve = createHandler({
    core,
    authorizer,
    paths,
    aggregation,
    subresources,
    virtual: virtualHandlers(authorizer, authenticator),
  });
  handle = options.auditor?.handler(serve) ?? serve;
  return {
    handle,
    core,
    authenticator,
    authorizer,
    ...(options.providers && { providers: options.providers }),
    tokens,
    services,
    resolveService,
    outbound,
    aggregation,
    health,
    metrics,
    components,
    directRoutes: new DirectRoutes(),
    nodes,
    remoteNodes: remote,
    transportFor,
  };
}

const pathOf = (name: string): string => (name.includes('/') ? `/apis/${name}` : `/api/${name}`);
