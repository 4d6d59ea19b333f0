import { Endpoints, isDeleting, type Persisted, type Pod, type Service } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import { type Client, isNamespaceTerminating } from '@vireo/kube';
import { HEADLESS, TRIGGER_TIME } from '../serviceEndpoints/names.ts';
import { isHeadless } from '../serviceEndpoints/pods.ts';
import { subsetsOf, truncated } from './subsets.ts';

/** Marks the Endpoints that the controller keeps. */
export const ENDPOINTS_MANAGED_BY = 'endpoints.kubernetes.io/managed-by';
/** Who they say that they belong to. */
export const ENDPOINTS_MANAGER = 'endpoint-controller';
const OVER_CAPACITY = 'endpoints.kubernetes.io/over-capacity';

/** Brings the Endpoints of a Service in line with its pods. */
export async function reconcileEndpoints(
  service: Persisted<Service>,
  pods: readonly Persisted<Pod>[],
  existing: Persisted<Endpoints> | undefined,
  { client, triggerTime }: { readonly client: Client; readonly triggerTime: string | undefined },
): Promise<void> {
  const wanted = wantedEndpoints(service, pods, existing);
  if (existing && isSame(existing, wanted)) return;
  const { annotations } = wanted.metadata;
  const metadata = {
    ...wanted.metadata,
    annotations: { ...annotations, ...(triggerTime && { [TRIGGER_TIME]: triggerTime }) },
  };
  const endpoints = client.of(Endpoints);
  if (existing) await endpoints.update({ ...existing, ...wanted, metadata: { ...existing.metadata, ...metadata } });
  else if (!isDeleting(service))
    await endpoints.create({ ...wanted, metadata }).catch((error: unknown) => {
      if (!isNamespaceTerminating(error)) throw error;
    });
}

/** The Endpoints without the time of the change that they follow. */
export function wantedEndpoints(
  service: Persisted<Service>,
  pods: readonly Persisted<Pod>[],
  existing?: Persisted<Endpoints>,
): Endpoints {
  const { name, namespace, labels } = service.metadata;
  const { subsets, isTruncated } = truncated(subsetsOf(service, pods));
  const { [HEADLESS]: _, ...own } = labels ?? {};
  return {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: {
      name,
      ...(namespace && { namespace }),
      labels: { ...own, ...(isHeadless(service) && { [HEADLESS]: '' }), [ENDPOINTS_MANAGED_BY]: ENDPOINTS_MANAGER },
      annotations: { ...foreignAnnotations(existing), ...(isTruncated && { [OVER_CAPACITY]: 'truncated' }) },
    },
    ...(subsets.length > 0 && { subsets }),
  };
}

function foreignAnnotations(existing: Endpoints | undefined): Record<string, string> {
  const { [TRIGGER_TIME]: _, [OVER_CAPACITY]: _1, ...foreign } = existing?.metadata.annotations ?? {};
  return foreign;
}

function isSame(existing: Endpoints, wanted: Endpoints): boolean {
  const { [TRIGGER_TIME]: _, ...annotations } = existing.metadata.annotations ?? {};
  return (
    deepEqual(existing.subsets ?? [], wanted.subsets ?? []) &&
    deepEqual(existing.metadata.labels ?? {}, wanted.metadata.labels) &&
    deepEqual(annotations, wanted.metadata.annotations)
  );
}
