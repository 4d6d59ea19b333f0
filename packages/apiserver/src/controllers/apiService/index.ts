import { APIService, EndpointSlice, Service, type UnknownObject } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import { type ControllerContext, runController, watch } from '@vireo/kube';
import { remoteApi } from '../../aggregation/apiService.ts';
import type { Registry } from '../../registry/registry.ts';
import type { Services } from '../../services/services.ts';
import { type CheckParts, checkDiscovery } from './check.ts';
import {
  type AvailableCondition,
  changedConditions,
  failedDiscovery,
  LOCAL,
  localApiService,
  MANAGED_LABEL,
  PASSED,
  serviceProblem,
} from './decide.ts';

export const API_SERVICE_CONTROLLER = 'system:serviceaccount:kube-system:apiservice-controller';

const RECHECK_MS = 30_000;
const FIRST_RETRY_MS = 5;
/** So many servers are asked at once; one that does not answer keeps no other waiting. */
const CONCURRENCY = 5;

/** What the controller needs beside the usual. */
export type ApiServiceContext = ControllerContext & {
  readonly registry: Registry;
  readonly services: Services;
  readonly check: CheckParts;
};

/** One APIService a group-version that is served here, and an Available condition on every one. */
export function startApiServiceController(context: ApiServiceContext, signal: AbortSignal): Promise<void> {
  const { client, registry, services, informers } = context;
  const apiServices = informers.for(APIService);
  const kubeServices = informers.for(Service);
  const slices = informers.for(EndpointSlice, {
    indexes: { service: ({ metadata }) => [`${metadata.namespace}/${serviceOf(metadata.labels)}`] },
  });
  const failures = new Map<string, number>();
  const servedHere = (): Map<string, UnknownObject> => {
    const wanted = [...registry.groupVersions().values()].map(([first]) =>
      localApiService(first!.kind.group, first!.kind.version),
    );
    return new Map(wanted.map((object) => [object.metadata.name as string, object]));
  };
  const namesServedHere = (): Iterable<string> => servedHere().keys();
  const managedNames = (): string[] =>
    apiServices.list().flatMap(({ metadata }) => (metadata.labels?.[MANAGED_LABEL] ? [metadata.name] : []));
  const servedBy = (namespace: string | undefined, name: string | undefined): string[] =>
    apiServices
      .list()
      .filter(({ spec }) => spec?.service && spec.service.name === name && spec.service.namespace === namespace)
      .map(({ metadata }) => metadata.name);

  return runController(
    {
      name: 'apiservice',
      watches: [
        watch(apiServices, {
          added: ({ metadata }) => metadata.name,
          // A check that ends otherwise each time would lead to the next one at once.
          updated: (old, now) => (isChecked(now) && deepEqual(old.spec, now.spec) ? [] : now.metadata.name),
          deleted: ({ metadata }) => metadata.name,
        }),
        watch(kubeServices, ({ metadata }) => servedBy(metadata.namespace, metadata.name)),
        watch(slices, ({ metadata }) => servedBy(metadata.namespace, serviceOf(metadata.labels))),
      ],
      sources: [
        (queue) =>
          registry.onChange(() => {
            for (const name of [...namesServedHere(), ...managedNames()]) queue.add(name);
          }),
        (queue) =>
          services.onRegister((namespace, service) => {
            for (const name of servedBy(namespace, service)) queue.add(name);
          }),
      ],
      initialKeys: namesServedHere,
      concurrency: CONCURRENCY,
      reconcile: async (name) => {
        const resource = client.of(APIService);
        const existing = apiServices.get(name);
        const local = servedHere().get(name);
        if (!existing) {
          failures.delete(name);
          if (local) await client.of<UnknownObject>(APIService).create(local);
          return;
        }
        if (existing.metadata.labels?.[MANAGED_LABEL] !== undefined && !local) {
          await resource.delete(name);
          return;
        }
        const condition = await conditionOf(existing);
        const status = changedConditions(existing, condition, new Date());
        if (status && !signal.aborted) await resource.patchStatus(name, { status }, { type: 'merge' });
        return isChecked(existing) ? { requeueAfterMs: nextCheckMs(name, condition) } : undefined;
      },
    },
    context,
    signal,
  );

  /** Only what runs elsewhere is asked, again and again: nothing tells when it goes away. */
  function isChecked({ spec }: APIService): boolean {
    const { namespace = '', name = '' } = spec?.service ?? {};
    return spec?.service !== undefined && services.find(namespace, name) === undefined;
  }

  async function conditionOf(apiService: APIService): Promise<AvailableCondition> {
    const api = remoteApi(apiService);
    if (!api) return LOCAL;
    if (!isChecked(apiService)) return PASSED;
    const key = `${api.service.namespace}/${api.service.name}`;
    const problem = serviceProblem(apiService, kubeServices.get(key), slices.byIndex('service', key));
    if (problem) return problem;
    const failure = await checkDiscovery(context.check, api, signal);
    return failure === undefined ? PASSED : failedDiscovery(failure);
  }

  /** A check that failed is repeated soon, then less and less often. */
  function nextCheckMs(name: string, { reason }: AvailableCondition): number {
    if (reason !== 'FailedDiscoveryCheck') {
      failures.delete(name);
      return RECHECK_MS;
    }
    const before = failures.get(name) ?? 0;
    failures.set(name, before + 1);
    return Math.min(RECHECK_MS, FIRST_RETRY_MS * 2 ** before);
  }
}

const serviceOf = (labels: Readonly<Record<string, string>> | undefined): string | undefined =>
  labels?.['kubernetes.io/service-name'];
