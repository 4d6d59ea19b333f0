import { createHash } from 'node:crypto';
import {
  type CustomResourceDefinition,
  CustomResourceDefinition as Definition,
  isConditionTrue,
  type Kind,
  type KubeObject,
  Namespace,
  type Persisted,
  type UnknownObject,
} from '@vireo/api';
import { builtinKinds } from '@vireo/api/kinds/index.ts';
import { kubevirtCrds, kubevirtKinds } from '@vireo/api/kinds/kubevirt/definitions.ts';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { KUBEVIRT_NAME, KUBEVIRT_NAMESPACE } from '@vireo/api/kinds/kubevirt/names.ts';
import { type Client, Informer, ignoreNotFound, keyOf } from '@vireo/kube';
import { clusterPreferences } from './instancetypes/preferences.ts';
import { clusterInstancetypes } from './instancetypes/series.ts';
import { joiningObjects } from './joining.ts';
import { clusterInstancetypeRole, IDENTITY, type Identity, identityObjects, kubeletRole } from './rbac.ts';
import { localStorageClasses } from './storageClasses.ts';

/** Says which text of ours an object was last written from, so that a start that changes nothing writes nothing. */
const CHECKSUM = 'kubevirt.io/install-strategy-identifier';

/** Owns what is installed: fields that a later version no longer has go away with it. */
export const FIELD_MANAGER = 'vireo-install';

export interface InstallOptions {
  /** Whether VMs may run without hardware support; missing: the KubeVirt object is left for a later call. */
  readonly useEmulation?: boolean;
  /** The other parts that act on the server: the node's agent, the extension. */
  readonly identities?: readonly Identity[];
  /** What other parts want to be there: webhook configurations, API services, roles of users. */
  readonly objects?: readonly KubeObject[];
  /** Whether the instance types and preferences come along; by then whoever is asked about them must answer. */
  readonly instancetypes?: boolean;
  /** Ends the wait for the server to serve our kinds. */
  readonly signal?: AbortSignal;
}

/** Everything that an installation consists of but its KubeVirt object, in an order that works one after another. */
export function installationObjects(identities: readonly Identity[] = []): KubeObject[] {
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: KUBEVIRT_NAMESPACE, labels: { 'kubevirt.io': '' } } },
    ...[IDENTITY, ...identities].flatMap(identityObjects),
    ...clusterInstancetypeRole(),
    ...kubeletRole(),
    ...joiningObjects(),
    ...kubevirtCrds(),
    ...localStorageClasses(),
  ];
}

/** Makes a server ready for VMs, or brings an older installation up to date. What users changed in settings stays. */
export async function install(client: Client, options: InstallOptions): Promise<void> {
  const { useEmulation, identities, objects = [], instancetypes = false, signal } = options;
  const [namespace, ...own] = installationObjects(identities);
  const rest = [...own, ...objects];
  if (namespace) await apply(client, [namespace], Namespace);
  await applyObjects(client, rest);
  const names = rest.filter(({ kind }) => kind === Definition.kind).map(({ metadata }) => metadata.name ?? '');
  await waitUntilEstablished(client, names, signal);
  if (useEmulation === undefined) return;
  const settings = await applySettings(client, useEmulation);
  const isWanted = settings.spec?.configuration?.commonInstancetypesDeployment?.enabled ?? true;
  if (!instancetypes || !isWanted) return;
  await applyObjects(client, instancetypeObjects());
}

/** The instance types and preferences that VMs can be made from. */
export const instancetypeObjects = (): KubeObject[] => [...clusterInstancetypes(), ...clusterPreferences()];

/** Applies, as our field manager, the objects that are not there, or not as they should be; those of one kind at once. */
export async function applyObjects(client: Client, objects: readonly KubeObject[]): Promise<void> {
  const kinds = Map.groupBy(objects, kindOf);
  await Promise.all([...kinds].map(([kind, alike]) => apply(client, alike, kind)));
}

/** Applies the objects of one kind that are not there, or not as they should be. */
async function apply(client: Client, objects: readonly KubeObject[], kind: Kind): Promise<void> {
  const resource = client.of<UnknownObject>(kind);
  const existing = new Map((await resource.list()).items.map((object) => [keyOf(object), object]));
  await Promise.all(
    objects.map(async (object) => {
      const wanted = withChecksum(object) as UnknownObject;
      const found = existing.get(keyOf(object));
      if (found?.metadata.annotations?.[CHECKSUM] === wanted.metadata.annotations?.[CHECKSUM]) return;
      const { name = '', namespace } = object.metadata;
      const stale = staleWebhooks(found, wanted);
      if (stale.length > 0)
        await resource.patch(name, { webhooks: stale }, { type: 'strategic', fieldManager: FIELD_MANAGER });
      await resource.patch(name, wanted, { namespace, type: 'apply', fieldManager: FIELD_MANAGER, force: true });
    }),
  );
}

/**
 * What deletes the webhooks of a configuration that are wanted no more. Applying would leave what the extension has
 * written to them, the `caBundle`, and the rest would be no webhook.
 */
function staleWebhooks(found: UnknownObject | undefined, wanted: UnknownObject): object[] {
  const names = (object: UnknownObject | undefined): string[] =>
    ((object?.webhooks ?? []) as { name: string }[]).map(({ name }) => name);
  const kept = new Set(names(wanted));
  return names(found)
    .filter((name) => !kept.has(name))
    .map((name) => ({ name, $patch: 'delete' }));
}

/** An object with the checksum of its text. */
export function withChecksum(object: KubeObject): KubeObject {
  const checksum = createHash('sha256').update(JSON.stringify(object)).digest('hex').slice(0, 40);
  return withAnnotation(object, CHECKSUM, checksum);
}

const withAnnotation = (object: KubeObject, key: string, value: string): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, [key]: value } },
});

/** Resolves when the server serves all of these definitions. */
export async function waitUntilEstablished(
  client: Client,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  const missing = new Set(names);
  const stop = new AbortController();
  const definitions = new Informer(client.of(Definition));
  const done = Promise.withResolvers<void>();
  const look = ({ metadata, status }: Persisted<CustomResourceDefinition>) => {
    const isServed = isConditionTrue({ status }, 'Established');
    if (isServed) missing.delete(metadata.name);
    if (missing.size === 0) done.resolve();
  };
  const abort = () => done.reject(signal?.reason ?? new Error('stopped'));
  signal?.addEventListener('abort', abort, { once: true });
  definitions.on({ added: look, updated: (_, definition) => look(definition) });
  definitions.start(stop.signal);
  try {
    await done.promise;
  } finally {
    signal?.removeEventListener('abort', abort);
    stop.abort();
  }
}

/**
 * The KubeVirt object. Only whether VMs may run without hardware support is ours to change in one that exists;
 * undefined: that stays as it is, too.
 */
export async function applySettings(client: Client, useEmulation: boolean | undefined): Promise<KubeVirt> {
  const resource = client.of(KubeVirt);
  const at = { namespace: KUBEVIRT_NAMESPACE };
  const spec = settingsSpec(useEmulation);
  const current = await resource.find(KUBEVIRT_NAME, at);
  const present = current?.spec?.configuration?.developerConfiguration?.useEmulation ?? false;
  if (current && (useEmulation === undefined || present === useEmulation)) return current;
  const patched =
    current && (await resource.patch(KUBEVIRT_NAME, { spec }, { ...at, type: 'merge' }).catch(ignoreNotFound));
  return patched ?? resource.create({ metadata: { name: KUBEVIRT_NAME, ...at }, spec });
}

/** The spec of a new KubeVirt object, and the part of one that exists that we change. */
export const settingsSpec = (useEmulation: boolean | undefined) => ({
  configuration: useEmulation === undefined ? {} : { developerConfiguration: { useEmulation } },
});

const KNOWN_KINDS: readonly Kind[] = [...builtinKinds, ...kubevirtKinds];

/** The kind of an object that this program knows. */
export function kindOf({ apiVersion, kind }: KubeObject): Kind {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const alike = KNOWN_KINDS.filter((each) => each.kind === kind && each.group === group);
  const found = alike.find((each) => each.version === version) ?? alike[0];
  if (!found) throw new TypeError(`${apiVersion} ${kind} is not a known kind`);
  return found;
}
