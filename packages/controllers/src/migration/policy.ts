import type { VMIMConfigurationOptions } from '@vireo/api/kinds/kubevirt/migrationConfiguration.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { MigrationPolicy } from '@vireo/api/kinds/migrations/migrationPolicy.ts';
import type { ClusterConfig } from '@vireo/hypervisor';

type Labels = Readonly<Record<string, string>>;
type Configuration = Pick<ClusterConfig, 'configuration'>;

/** KubeVirt's defaults. */
const DEFAULTS = {
  allowAutoConverge: false,
  allowPostCopy: false,
  bandwidthPerMigration: '0Mi',
  completionTimeoutPerGiB: 150,
  disableTLS: false,
  matchSELinuxLevelOnMigration: false,
  maxDowntimeMs: 900,
  nodeDrainTaintKey: 'kubevirt.io/drain',
  parallelMigrationsPerCluster: 5,
  parallelOutboundMigrationsPerNode: 2,
  progressTimeout: 150,
  unsafeMigrationOverride: false,
  utilityVolumesTimeout: 150,
} as const satisfies VMIMConfigurationOptions;

/** How many migrations may be under way at once: in all, and away from one node. */
export function limitsOf({ configuration }: Configuration): { readonly perCluster: number; readonly perNode: number } {
  const { parallelMigrationsPerCluster: perCluster, parallelOutboundMigrationsPerNode: perNode } =
    configuration.migrations ?? {};
  return {
    perCluster: perCluster ?? DEFAULTS.parallelMigrationsPerCluster,
    perNode: perNode ?? DEFAULTS.parallelOutboundMigrationsPerNode,
  };
}

/** The settings of a migration: the policy's, else the cluster's, else KubeVirt's defaults. */
export function migrationConfiguration(
  { configuration }: Configuration,
  policy: MigrationPolicy | undefined,
): VMIMConfigurationOptions {
  const cluster = defined({ ...configuration.migrations });
  const { selectors: _, ...ofPolicy } = policy?.spec ?? { selectors: {} };
  const own = defined(ofPolicy);
  const merged: VMIMConfigurationOptions = { ...DEFAULTS, ...cluster, ...own };
  // Whoever permits post-copy permits what it does to the guest, unless they say otherwise in the same place.
  const disrupts =
    own.allowWorkloadDisruption ?? own.allowPostCopy ?? cluster.allowWorkloadDisruption ?? merged.allowPostCopy;
  return { ...merged, ...(disrupts !== undefined && { allowWorkloadDisruption: disrupts }) };
}

const defined = <T extends object>(options: T): T =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;

/** The policy of a VMI: the one that names most of its labels, then of its namespace's, then the first by name. */
export function policyOf<P extends MigrationPolicy>(
  policies: readonly P[],
  vmi: Vmi,
  namespaceLabels: Labels | undefined,
): P | undefined {
  const matching = policies.flatMap((policy) => {
    const { namespaceSelector, virtualMachineInstanceSelector } = policy.spec.selectors ?? {};
    if (!namespaceSelector && !virtualMachineInstanceSelector) return [];
    const ofVmi = matches(virtualMachineInstanceSelector, vmi.metadata.labels);
    const ofNamespace = matches(namespaceSelector, namespaceLabels);
    return ofVmi === undefined || ofNamespace === undefined ? [] : [{ policy, ofVmi, ofNamespace }];
  });
  const [best] = matching.sort(
    (a, b) =>
      b.ofVmi - a.ofVmi ||
      b.ofNamespace - a.ofNamespace ||
      ((a.policy.metadata.name ?? '') < (b.policy.metadata.name ?? '') ? -1 : 1),
  );
  return best?.policy;
}

/** How many labels a selector names, if all of them are there; undefined where one is not. */
function matches(selector: Labels | undefined, labels: Labels = {}): number | undefined {
  const wanted = Object.entries(selector ?? {});
  return wanted.every(([key, value]) => labels[key] === value) ? wanted.length : undefined;
}
