import type { Persisted } from '@vireo/api';
import {
  Client,
  type ControllerContext,
  consoleLog,
  controllerMetrics,
  EventRecorder,
  Informers,
  type UserInfo,
  withFields,
} from '@vireo/kube';
import type { ApiServer } from '../apiServer.ts';
import type { Credential, Pki } from '../auth/pki.ts';
import { parseServiceAccountUsername, serviceAccountGroups } from '../auth/serviceAccount.ts';
import type { KubernetesServiceOptions } from '../bootstrap/objects.ts';
import type { NetworkRanges } from '../networkRanges.ts';
import { SCHEDULER_USER, startScheduler } from '../scheduler/index.ts';
import type { CheckParts } from './apiService/check.ts';
import { API_SERVICE_CONTROLLER, startApiServiceController } from './apiService/index.ts';
import { BOOTSTRAP_SIGNER_USER, startBootstrapSigner } from './bootstrapSigner/index.ts';
import { CERTIFICATE_USER, startCertificateController } from './certificates/index.ts';
import { CLUSTER_AUTHENTICATION_USER, startClusterAuthenticationController } from './clusterAuthentication/index.ts';
import {
  CLUSTER_ROLE_AGGREGATION_USER,
  startClusterRoleAggregationController,
} from './clusterRoleAggregation/index.ts';
import { CRD_CONTROLLER, startCrdController } from './crd/index.ts';
import { DISRUPTION_USER, startDisruptionController } from './disruption/index.ts';
import { ENDPOINT_SLICE_USER, startEndpointSliceController } from './endpointSlice/index.ts';
import {
  ENDPOINT_SLICE_MIRRORING_USER,
  startEndpointSliceMirroringController,
} from './endpointSliceMirroring/index.ts';
import { ENDPOINTS_USER, startEndpointsController } from './endpoints/index.ts';
import { EVENT_TTL_USER, startEventTtlController } from './eventTtl/index.ts';
import { GARBAGE_COLLECTOR_USER, startGarbageCollector } from './gc/index.ts';
import {
  HORIZONTAL_POD_AUTOSCALER_USER,
  startHorizontalPodAutoscalerController,
} from './horizontalPodAutoscaler/index.ts';
import { KUBERNETES_SERVICE_USER, startKubernetesServiceController } from './kubernetesService/index.ts';
import { LOAD_BALANCER_USER, startLoadBalancerController } from './loadBalancer/index.ts';
import { NAMESPACE_USER, startNamespaceController } from './namespace/index.ts';
import { NODE_IPAM_USER, startNodeIpamController } from './nodeIpam/index.ts';
import { NODE_USER, startNodeLifecycleController } from './nodeLifecycle/index.ts';
import { POD_GC_USER, startPodGcController } from './podGc/index.ts';
import { RESOURCE_QUOTA_USER, startResourceQuotaController } from './resourceQuota/index.ts';
import { ROOT_CA_USER, startRootCaController } from './rootCa/index.ts';
import { type ServedKinds, servedKinds } from './servedKinds.ts';
import {
  SERVICE_ACCOUNT_TOKEN_USER,
  SERVICE_ACCOUNT_USER,
  startServiceAccountController,
  startTokenController,
} from './serviceaccount/index.ts';
import { SERVICE_CIDR_USER, startServiceCidrController } from './serviceCidr/index.ts';
import { startTokenCleaner, TOKEN_CLEANER_USER } from './tokenCleaner/index.ts';
import { startUnmanagedWorkloadController, UNMANAGED_WORKLOAD_USER } from './unmanagedWorkload/index.ts';
import {
  startValidatingAdmissionPolicyController,
  VALIDATING_ADMISSION_POLICY_USER,
} from './validatingAdmissionPolicy/index.ts';
import { startVolumeBinder, VOLUME_BINDER_USER } from './volumes/binder/index.ts';
import { CLAIM_PROTECTION_USER, startClaimProtection } from './volumes/protection/claims.ts';
import { startVolumeProtection, VOLUME_PROTECTION_USER } from './volumes/protection/volumes.ts';

/** Everything that some controller needs beside the usual. */
type FullContext = ControllerContext &
  Pick<ApiServer, 'services'> & {
    readonly check: CheckParts;
    readonly pki: Pick<Pki, 'ca' | 'frontProxyCa'>;
    readonly ranges: NetworkRanges;
    readonly registry: ApiServer['core']['registry'];
    readonly served: ServedKinds;
    readonly caPem: string;
    readonly ca: Credential;
    readonly clusterInfo: string;
    readonly kubernetesService: KubernetesServiceOptions;
    readonly signLegacyToken: (serviceAccount: Persisted, secret: Persisted) => string;
  };

type Start = (context: FullContext, signal: AbortSignal) => Promise<void>;

/** Each controller and the user that it runs as; `rbac/controllerPolicy.ts` says what that user may do. */
const CONTROLLERS: readonly (readonly [username: string, start: Start])[] = [
  [CRD_CONTROLLER, startCrdController],
  [API_SERVICE_CONTROLLER, startApiServiceController],
  [VALIDATING_ADMISSION_POLICY_USER, startValidatingAdmissionPolicyController],
  [CLUSTER_ROLE_AGGREGATION_USER, startClusterRoleAggregationController],
  [SERVICE_ACCOUNT_USER, startServiceAccountController],
  [SERVICE_ACCOUNT_TOKEN_USER, startTokenController],
  [ROOT_CA_USER, startRootCaController],
  [CLUSTER_AUTHENTICATION_USER, startClusterAuthenticationController],
  [CERTIFICATE_USER, startCertificateController],
  [TOKEN_CLEANER_USER, startTokenCleaner],
  [BOOTSTRAP_SIGNER_USER, startBootstrapSigner],
  [NAMESPACE_USER, startNamespaceController],
  [GARBAGE_COLLECTOR_USER, startGarbageCollector],
  [RESOURCE_QUOTA_USER, startResourceQuotaController],
  [DISRUPTION_USER, startDisruptionController],
  [HORIZONTAL_POD_AUTOSCALER_USER, startHorizontalPodAutoscalerController],
  [NODE_USER, startNodeLifecycleController],
  [NODE_IPAM_USER, startNodeIpamController],
  [POD_GC_USER, startPodGcController],
  [EVENT_TTL_USER, startEventTtlController],
  [ENDPOINT_SLICE_USER, startEndpointSliceController],
  [ENDPOINT_SLICE_MIRRORING_USER, startEndpointSliceMirroringController],
  [ENDPOINTS_USER, startEndpointsController],
  [SERVICE_CIDR_USER, startServiceCidrController],
  [KUBERNETES_SERVICE_USER, startKubernetesServiceController],
  [LOAD_BALANCER_USER, startLoadBalancerController],
  [VOLUME_BINDER_USER, startVolumeBinder],
  [CLAIM_PROTECTION_USER, startClaimProtection],
  [VOLUME_PROTECTION_USER, startVolumeProtection],
  [UNMANAGED_WORKLOAD_USER, startUnmanagedWorkloadController],
  [SCHEDULER_USER, startScheduler],
];

/** Starts every controller of the server. `synced`: all know the present state; `ended`: all have stopped. */
export function startControllers(
  server: ApiServer,
  options: Pick<Pki, 'ca' | 'frontProxyCa' | 'frontProxyClient'> & {
    readonly autoscalerSyncPeriodMs?: number;
    /** A kubeconfig that tells other hosts where this server is. */
    readonly clusterInfo: string;
    /** Where the Service `kubernetes` leads. */
    readonly kubernetesService: KubernetesServiceOptions;
    readonly ranges: NetworkRanges;
  },
  signal: AbortSignal,
): { ended: Promise<void>; synced: Promise<void> } {
  const { registry } = server.core;
  const shared = {
    registry,
    services: server.services,
    check: {
      resolve: server.resolveService,
      outbound: server.outbound,
      clientCertificate: options.frontProxyClient,
    },
    served: servedKinds(registry),
    pki: options,
    caPem: options.ca.certPem,
    ca: options.ca,
    clusterInfo: options.clusterInfo,
    kubernetesService: options.kubernetesService,
    ranges: options.ranges,
    ...(options.autoscalerSyncPeriodMs !== undefined && { autoscalerSyncPeriodMs: options.autoscalerSyncPeriodMs }),
    signLegacyToken: (account: Persisted, secret: Persisted): string => {
      const { name, namespace = '', uid } = account.metadata;
      return server.tokens.issueLegacy({ name, namespace, uid }, secret.metadata.name);
    },
  };
  const metrics = controllerMetrics(server.metrics, '', '');
  const running = CONTROLLERS.map(([username, start]) => {
    const client = new Client(server.transportFor(userOf(username)));
    const informers = new Informers(client);
    const component = username === SCHEDULER_USER ? 'default-scheduler' : (username.split(':').at(-1) as string);
    const recorder = new EventRecorder(client, { component });
    const log = withFields(consoleLog, { component });
    const ended = start({ ...shared, client, informers, recorder, log, metrics }, signal);
    informers.start(signal);
    return { ended, synced: informers.whenSynced() };
  });
  return {
    ended: Promise.all(running.map(({ ended }) => ended)).then(() => undefined),
    synced: Promise.all(running.map(({ synced }) => synced)).then(() => undefined),
  };
}

function userOf(username: string): UserInfo {
  const account = parseServiceAccountUsername(username);
  return {
    username,
    groups: [...(account ? serviceAccountGroups(account.namespace) : []), 'system:authenticated'],
  };
}
