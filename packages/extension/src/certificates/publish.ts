import {
  APIService,
  ConfigMap,
  type KubeObject,
  MutatingWebhookConfiguration,
  type Persisted,
  Secret,
  ValidatingWebhookConfiguration,
} from '@vireo/api';
import { CA_BUNDLE_KEY, CA_NAME, KUBEVIRT_NAMESPACE, VIRT_API_SERVICE } from '@vireo/api/kinds/kubevirt/names.ts';
import { type Client, type Informer, type Informers, ignoreAlreadyExists, ignoreNotFound } from '@vireo/kube';
import { bundleHolders } from '../install/bundleHolders.ts';
import { type Authorities, authoritiesToData } from './authorities.ts';

type WebhookConfiguration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;

/** The objects that tell others whom to trust, as the server has them. */
export interface Publication {
  readonly secrets: Informer<Secret>;
  readonly configMaps: Informer<ConfigMap>;
  readonly apiServices: Informer<APIService>;
  readonly mutating: Informer<MutatingWebhookConfiguration>;
  readonly validating: Informer<ValidatingWebhookConfiguration>;
}

const KEY = `${KUBEVIRT_NAMESPACE}/${CA_NAME}`;
const metadata = { name: CA_NAME, namespace: KUBEVIRT_NAMESPACE, labels: { 'kubevirt.io': '' } };

/** Watches of those objects. */
export function watchPublication(informers: Informers): Publication {
  const own = { namespace: KUBEVIRT_NAMESPACE, fieldSelector: `metadata.name=${CA_NAME}` };
  return {
    secrets: informers.for(Secret, own),
    configMaps: informers.for(ConfigMap, own),
    apiServices: informers.for(APIService),
    mutating: informers.for(MutatingWebhookConfiguration),
    validating: informers.for(ValidatingWebhookConfiguration),
  };
}

/** The Secret that holds the authorities. */
export const authoritySecret = ({ secrets }: Publication): Persisted<Secret> | undefined => secrets.get(KEY);

/** Keeps the authorities, unless somebody else has done so since `found` was read: that is a Conflict, or AlreadyExists. */
export async function saveAuthorities(
  client: Client,
  found: Persisted<Secret> | undefined,
  authorities: Authorities,
): Promise<void> {
  const data = authoritiesToData(authorities);
  if (found) await client.of(Secret).update({ ...found, data });
  else await client.of(Secret).create({ metadata, type: 'kubernetes.io/tls', data });
}

/** One object that does not hold the bundle, and how to have it do so. */
export type Write = (client: Client) => Promise<unknown>;

/**
 * What has to be written so that everybody trusts a bundle. None: everybody does. An object of somebody else that leads
 * to the extension is not written: the extension has no right to.
 */
export function writesFor(publication: Publication, bundle: string): Write[] {
  const caBundle = Buffer.from(bundle).toString('base64');
  const { configMaps, apiServices, mutating, validating } = publication;
  const own = bundleHolders();
  const map = configMaps.get(KEY);
  return [
    ...(map?.data?.[CA_BUNDLE_KEY] === bundle ? [] : [writeMap(map, { [CA_BUNDLE_KEY]: bundle })]),
    ...apiServices
      .list()
      .filter(({ metadata: { name } }) => own.apiServices.includes(name))
      .filter(({ spec }) => leadsHere(spec?.service) && spec?.caBundle !== caBundle)
      .map(
        ({ metadata: { name } }): Write =>
          (client) =>
            client.of(APIService).patch(name, { spec: { caBundle } }, { type: 'merge' }).catch(ignoreNotFound),
      ),
    ...[...mutating.list(), ...validating.list()]
      .filter(({ metadata: { name } }) => own.configurations.includes(name))
      .flatMap((found) => writeWebhooks(found, caBundle)),
  ];
}

/** Makes all the writes that can be made; throws what has kept the others from being made. */
export async function writeAll(client: Client, writes: readonly Write[]): Promise<void> {
  const outcomes = await Promise.allSettled(writes.map((write) => write(client)));
  const errors = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, errors.map((each) => (each as Error).message).join('; '));
}

function writeMap(found: KubeObject | undefined, data: Record<string, string>): Write {
  return (client) =>
    found
      ? client.of(ConfigMap).patch(CA_NAME, { data }, { namespace: KUBEVIRT_NAMESPACE, type: 'merge' })
      : client.of(ConfigMap).create({ metadata, data }).catch(ignoreAlreadyExists);
}

/** Only the bundles of webhooks that lead here: the rest of the object is the installation's, or another's. */
function writeWebhooks({ kind, metadata: { name }, webhooks = [] }: Persisted<WebhookConfiguration>, caBundle: string) {
  const stale = webhooks.filter(
    ({ clientConfig }) => leadsHere(clientConfig.service) && clientConfig.caBundle !== caBundle,
  );
  if (stale.length === 0) return [];
  const body = { webhooks: stale.map((webhook) => ({ name: webhook.name, clientConfig: { caBundle } })) };
  const isMutating = kind === MutatingWebhookConfiguration.kind;
  const write: Write = (client) =>
    client
      .of<WebhookConfiguration>(isMutating ? MutatingWebhookConfiguration : ValidatingWebhookConfiguration)
      .patch(name, body, { type: 'strategic' })
      .catch(ignoreNotFound);
  return [write];
}

const leadsHere = (service: { readonly namespace?: string; readonly name?: string } | undefined): boolean =>
  service?.namespace === KUBEVIRT_NAMESPACE && service.name === VIRT_API_SERVICE;
