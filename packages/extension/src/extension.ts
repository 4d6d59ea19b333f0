import { ApiError, badRequest, type KubeObject, pathNotFound } from '@vireo/api';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { KUBEVIRT_NAME, KUBEVIRT_NAMESPACE } from '@vireo/api/kinds/kubevirt/names.ts';
import { VirtualMachineInstancePreset } from '@vireo/api/kinds/kubevirt/virtualMachineInstancePreset.ts';
import { type ClusterConfig, clusterConfig, hostArchitecture } from '@vireo/hypervisor';
import {
  type ApiHandler,
  type ApiRequest,
  type Client,
  type Clock,
  consoleLog,
  type Exchange,
  type Informers,
  type Log,
  Metrics,
  objectResponse,
  systemClock,
  type UpgradeHandler,
  type UserInfo,
} from '@vireo/kube';
import { ACTION_GROUPS } from './actions/dialects.ts';
import { apiGroup, resourceList } from './actions/discovery.ts';
import { openApiDocument } from './actions/openApi.ts';
import { expandVmSpec, getInstallationInfo } from './actions/paths.ts';
import { decide, perform, vmiOf } from './actions/perform.ts';
import { type ActionRoute, route } from './actions/routes.ts';
import { ACTIONS } from './actions/table.ts';
import { macUsers } from './admission/macConflicts.ts';
import { review } from './admission/review.ts';
import type { AdmissionContext } from './admission/rule.ts';
import { RULES } from './admission/rules.ts';
import { type Access, type Authorize, alreadyAuthorized } from './authorize.ts';
import { exportEndpoint } from './exports/endpoint.ts';
import { steveApi } from './harvester/steve/index.ts';
import { isStevePath } from './harvester/steve/paths.ts';
import { isSubscribePath } from './harvester/steve/subscribe.ts';
import { removeWithTheirLogs } from './harvester/upgradelog/removal.ts';
import { installObjects } from './install/objects.ts';
import { dependentsReader } from './objectgraph/dependents.ts';
import { relatedObjects } from './objectgraph/related.ts';
import { observeConnections } from './streams/connections.ts';
import type { NodeConnections } from './streams/nodeConnections.ts';
import { StreamProxy } from './streams/streamProxy.ts';
import type { Support } from './support/index.ts';
import { handleTemplateRequest, isTemplateGroup } from './templates/subresources.ts';
import { uploadEndpoint } from './uploads/endpoint.ts';
import { signingKey } from './uploads/signingKey.ts';
import { UploadTokens } from './uploads/token.ts';
import { handleTokenRequest, isUploadGroup } from './uploads/tokenRequests.ts';

export interface ExtensionOptions {
  /** Carries the identity `USER`. */
  readonly client: Client;
  /** Of the same client; started by the caller. */
  readonly informers: Informers;
  readonly nodes: NodeConnections;
  /** Default: whoever calls has authorised already, as the server in the same process does. */
  readonly authorize?: Authorize;
  readonly clock?: Clock;
  readonly log?: Log;
  /** Where connections to VMs are counted. */
  readonly metrics?: Metrics;
  /** A client with the rights of a user. Harvester's Steve API is served only with it: it shows what the user may see. */
  readonly asUser?: (user: UserInfo) => Client;
  /** Where archives of logs and objects are kept; without it none are made. */
  readonly support?: Support;
}

export interface Extension {
  /** Answers what APIServices and webhook configurations send. */
  readonly handle: ApiHandler;
  /** Takes consoles, screens and ports. */
  readonly upgrade: UpgradeHandler;
  /** Takes what is sent to `UPLOAD_PATHS`. */
  readonly upload: (exchange: Exchange) => void;
  /** Takes what is fetched from below `EXPORT_PREFIX`. */
  readonly download: (exchange: Exchange) => void;
  /** The same for requests that another than the server of this process has to authorise. */
  authorizedBy(authorize: Authorize): Pick<Extension, 'handle' | 'upgrade'>;
  /** Paths that whoever calls them shows no certificate for: webhooks, and whether there is anybody. */
  readonly openPaths: readonly string[];
  /** What the server needs to hold so that all this is asked. */
  readonly objects: readonly KubeObject[];
}

/**
 * What KubeVirt calls virt-api: admission of its kinds, and the subresources of VMs.
 *
 * @example
 * const extension = createExtension({ client, informers, nodes: () => unixSocket('/run/vireo/node.sock') });
 * services.register('kubevirt', 'virt-api', extension.handle);
 * services.registerUpgrade('kubevirt', 'virt-api', extension.upgrade);
 */
export function createExtension(options: ExtensionOptions): Extension {
  const {
    client,
    informers,
    nodes,
    authorize = alreadyAuthorized,
    clock = systemClock,
    log = consoleLog,
    asUser,
    support,
  } = options;
  const streams = new StreamProxy(nodes, clock, observeConnections(options.metrics ?? new Metrics(), clock));
  const context = {
    client,
    config: configReader(informers),
    presets: presetReader(informers),
    macUsers: macUsers(informers),
    related: relatedObjects(informers),
    support,
  };
  if (support) removeWithTheirLogs(support.archives, informers);
  const dependents = dependentsReader(client, informers);
  const steve = asUser && steveApi({ actions: ACTIONS, context: { ...context, nodes }, asUser, clock });
  const tokens = new UploadTokens(
    () => signingKey(client),
    () => clock.now(),
  );

  /** The stream that is asked for, with what refuses it. */
  const streamOf = async (to: ActionRoute, request: Pick<ApiRequest, 'query' | 'user'>) => {
    const { action, parameters } = to;
    const noStream = () => badRequest(`${action.resource}/${action.name} is not a stream`);
    if ('act' in action) throw noStream();
    const input = { body: {}, parameters, query: request.query };
    const { target, plan } = await decide(context, { ...to, action }, input, request.user);
    if (plan.type !== 'stream') throw noStream();
    return { vmi: vmiOf(target), plan };
  };

  /** A request without an upgrade is told why one would fail; if none would, it goes on to be told to upgrade. */
  const requireStream = async (to: ActionRoute, request: ApiRequest): Promise<void> => {
    const { vmi, plan } = await streamOf(to, request);
    streams.requirePossible(vmi, plan);
  };

  const handleWith =
    (authorize: Authorize): ApiHandler =>
    async (request) => {
      const { path, method } = request;
      if (path === '/healthz') return objectResponse({ status: 'ok' });
      for (const group of ACTION_GROUPS) if (path === `/apis/${group}`) return objectResponse(apiGroup(group));
      const document = path.startsWith('/openapi/') && openApiDocument(ACTIONS, path);
      if (document) return objectResponse(document);
      if (isStevePath(path)) {
        if (!steve) throw pathNotFound();
        return steve.handle(request);
      }
      if (isTemplateGroup(path))
        return handleTemplateRequest(request, { client, authorize, ...(asUser && { asUser }) });
      if (isUploadGroup(path)) return handleTokenRequest(request, tokens, authorize);
      if (!path.startsWith('/apis/')) return review(RULES, context, request);
      const to = route(ACTIONS, method, path);
      switch (to.to) {
        case 'discovery':
          return objectResponse(resourceList(ACTIONS, to.group, to.version));
        case 'installation':
          if (method !== 'GET') throw pathNotFound();
          return getInstallationInfo(to.name, client);
        case 'namespace':
          if (to.name !== 'expand-vm-spec' || method !== 'PUT') throw pathNotFound();
          await authorize(request, {
            verb: 'update',
            namespace: to.namespace,
            resource: to.name,
          });
          return expandVmSpec(to.namespace, request, context);
        case 'dependents': {
          const { kind, namespace, name } = to;
          const access = { verb: 'get', namespace, resource: kind.plural, subresource: 'dependents', name };
          await authorize(request, access);
          return objectResponse(await dependents(kind, namespace, name, request.user));
        }
        case 'action':
          await authorize(request, accessOf(to));
          if (to.action.isStream) await requireStream(to, request);
          return perform({ ...context, nodes }, to, request);
      }
    };

  const upgradeWith =
    (authorize: Authorize): UpgradeHandler =>
    async (request, incoming, socket, head) => {
      if (isStevePath(request.path)) {
        if (!steve || !isSubscribePath(request.path)) throw pathNotFound();
        return steve.subscribe(request, incoming, socket, head);
      }
      const to = route(ACTIONS, request.method, request.path);
      if (to.to !== 'action') throw pathNotFound();
      await authorize(request, accessOf(to));
      const { vmi, plan } = await streamOf(to, request);
      await streams.connect(vmi, plan, { incoming, socket, head, username: request.user.username });
    };

  const authorizedBy: Extension['authorizedBy'] = (by) => ({
    handle: withErrorResponses(handleWith(by)),
    upgrade: upgradeWith(by),
  });
  return {
    ...authorizedBy(authorize),
    authorizedBy,
    openPaths: ['/healthz', ...RULES.map(({ path }) => path)],
    upload: uploadEndpoint({ tokens, client, nodes, clock, log }),
    download: exportEndpoint({ client, config: context.config, nodes, clock, log }),
    objects: installObjects(),
  };
}

/** The settings of the installation, read anew whenever their object changes. */
function configReader(informers: Informers): () => Promise<ClusterConfig> {
  const kubevirts = informers.for(KubeVirt);
  let known: { of: KubeVirt | undefined; config: ClusterConfig } | undefined;
  return async () => {
    await kubevirts.whenSynced();
    const current = kubevirts.get(`${KUBEVIRT_NAMESPACE}/${KUBEVIRT_NAME}`);
    if (!known || known.of !== current) known = { of: current, config: clusterConfig(current, hostArchitecture()) };
    return known.config;
  };
}

/** The presets of a namespace, by a watch: every new VMI asks for them. */
function presetReader(informers: Informers): NonNullable<AdmissionContext['presets']> {
  const presets = informers.for(VirtualMachineInstancePreset, {
    indexes: { namespace: ({ metadata }) => [metadata.namespace ?? ''] },
  });
  return async (namespace) => {
    await presets.whenSynced();
    return presets.byIndex('namespace', namespace);
  };
}

const accessOf = ({ action, verb, namespace, name }: ActionRoute): Access => ({
  group: action.group,
  verb,
  namespace,
  resource: action.resource,
  subresource: action.name,
  name,
});

/** Refusals are answers: the server that asks hands them on as they are. */
const withErrorResponses =
  (handle: ApiHandler): ApiHandler =>
  async (request: ApiRequest) => {
    try {
      return await handle(request);
    } catch (error) {
      if (error instanceof ApiError) return objectResponse(error.status, error.code);
      throw error;
    }
  };
