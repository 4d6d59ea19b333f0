import { APIService, CustomResourceDefinition, Deployment, type KubeObject, type Persisted } from '@vireo/api';
import { KUBEVIRT_NAMESPACE, VIRT_API_SERVICE } from '@vireo/api/kinds/kubevirt/names.ts';
import { FIELD_MANAGER } from '@vireo/controllers';
import type { Client } from '@vireo/kube';
import { MANAGED_BY } from './objects.ts';

/** What a cluster has of the kinds and APIs that an installation brings. */
export interface Existing {
  readonly definitions: readonly Persisted<CustomResourceDefinition>[];
  readonly apiServices: readonly Persisted<APIService>[];
  readonly deployments: readonly Persisted<Deployment>[];
}

/** Kinds that many projects bring, all of them the same ones: whoever has them keeps them. */
export const SHARED_GROUPS: readonly string[] = ['snapshot.storage.k8s.io', 'k8s.cni.cncf.io'];

/** Operators by the names of their Deployments. */
const OPERATORS: Readonly<Record<string, string>> = {
  'virt-operator': 'KubeVirt',
  'cdi-operator': 'CDI',
  harvester: 'Harvester',
};

/** Reads what may be somebody else's. */
export async function readExisting(client: Client): Promise<Existing> {
  const [definitions, apiServices, deployments] = await Promise.all([
    client.of(CustomResourceDefinition).list(),
    client.of(APIService).list(),
    client.of(Deployment).list(),
  ]);
  return { definitions: definitions.items, apiServices: apiServices.items, deployments: deployments.items };
}

/** Whether the object was brought by `vireo install`, or applied from what that printed. */
export const isOurs = ({ metadata }: Persisted<KubeObject>): boolean =>
  Object.entries(MANAGED_BY).every(([name, value]) => metadata.labels?.[name] === value) ||
  (metadata.managedFields ?? []).some(({ manager }) => manager === FIELD_MANAGER);

/** Who else runs VMs on this cluster and owns some of `wanted`, in words; empty if nobody does. */
export function otherOwners(
  { definitions, apiServices, deployments }: Existing,
  wanted: readonly KubeObject[],
): string[] {
  const names = new Set(wanted.map(({ kind, metadata }) => `${kind} ${metadata.name}`));
  const foreign = definitions.filter(
    (each) => names.has(`CustomResourceDefinition ${each.metadata.name}`) && !isShared(each) && !isOurs(each),
  );
  const byOwner = Map.groupBy(foreign, ownerOf);
  return [
    ...deployments.filter(isOperator).map(({ metadata }) => {
      const { name, namespace } = metadata;
      return `${OPERATORS[name]} runs here: Deployment ${namespace}/${name}`;
    }),
    ...[...byOwner].map(([owner, owned]) => `${owner} owns ${kindList(owned)}`),
    ...apiServices
      .filter((each) => names.has(`APIService ${each.metadata.name}`) && !isOurs(each) && !isOurService(each))
      .map((each) => `another server answers for the APIService ${each.metadata.name}: ${serviceOf(each)}`),
  ];
}

const isShared = ({ spec }: CustomResourceDefinition): boolean => SHARED_GROUPS.includes(spec.group);

/** Definitions of shared groups that others brought: they stay as they are. */
export const sharedByOthers = ({ definitions }: Existing): string[] =>
  definitions.filter((each) => isShared(each) && !isOurs(each)).map(({ metadata }) => metadata.name);

const isOperator = (deployment: Persisted<Deployment>): boolean =>
  deployment.metadata.name in OPERATORS && !isOurs(deployment);

function ownerOf({ metadata }: Persisted<CustomResourceDefinition>): string {
  const { labels = {}, annotations = {}, managedFields = [] } = metadata;
  const release = annotations['meta.helm.sh/release-name'];
  const manager = labels['app.kubernetes.io/managed-by'];
  if (manager === 'virt-operator') return 'KubeVirt (virt-operator)';
  if (manager === 'cdi-operator') return 'CDI (cdi-operator)';
  if (release !== undefined) return `${/harvester/.test(release) ? 'Harvester' : 'Helm'} (Helm release ${release})`;
  if (/harvester/.test(labels['app.kubernetes.io/part-of'] ?? '')) return 'Harvester';
  return `somebody else (${manager ?? managedFields[0]?.manager ?? 'unknown'})`;
}

const SHOWN = 3;

function kindList(definitions: readonly Persisted<CustomResourceDefinition>[]): string {
  const names = definitions.map(({ metadata }) => metadata.name);
  const more = names.length - SHOWN;
  return more > 0 ? `${names.slice(0, SHOWN).join(', ')} and ${more} more` : names.join(', ');
}

const serviceOf = ({ spec }: APIService): string =>
  spec?.service ? `Service ${spec.service.namespace}/${spec.service.name}` : 'in the API server itself';

const isOurService = ({ spec }: APIService): boolean =>
  spec?.service?.namespace === KUBEVIRT_NAMESPACE && spec.service.name === VIRT_API_SERVICE;
