import { CustomResourceDefinition, type KubeObject } from '@vireo/api';
import { KUBEVIRT_NAME, KUBEVIRT_NAMESPACE } from '@vireo/api/kinds/kubevirt/names.ts';
import { type NetworkConfig, networkConfigMap } from '@vireo/api/kinds/kubevirt/networkConfig.ts';
import { installationObjects, instancetypeObjects, settingsSpec, withChecksum } from '@vireo/controllers';
import { ASKS_EXTENSION, clusterObjects, installObjects } from '@vireo/extension';
import { NODES_IDENTITY } from '@vireo/node';
import { version } from '../../version.ts';
import { metricsService } from './monitoring.ts';

/** On everything that `vireo install` brings: whose it is. */
export const MANAGED_BY = { 'app.kubernetes.io/managed-by': 'vireo' };
const VERSION_LABEL = 'app.kubernetes.io/version';

/** What an installation consists of, in the order in which it is applied. */
export interface Installation {
  readonly namespace: KubeObject;
  readonly definitions: readonly KubeObject[];
  /** Accounts, rights, classes and Services, which need none of our kinds. */
  readonly basics: readonly KubeObject[];
  /** Objects of our kinds. They come before the webhooks: on an empty cluster nobody would answer for those. */
  readonly settings: KubeObject;
  readonly instancetypes: readonly KubeObject[];
  /** What has the server ask the extension. */
  readonly asking: readonly KubeObject[];
}

/** Everything that is installed on a cluster. `useEmulation`: undefined leaves it to who has set it before. */
export function installation(useEmulation?: boolean, network?: NetworkConfig): Installation {
  const [namespace, ...rest] = installationObjects([NODES_IDENTITY]).map(labelled);
  if (!namespace) throw new Error('an installation has a namespace');
  const extension = installObjects().map(labelled);
  const isAsking = ({ kind }: KubeObject): boolean => ASKS_EXTENSION.includes(kind);
  const isDefinition = ({ kind }: KubeObject): boolean => kind === CustomResourceDefinition.kind;
  return {
    namespace,
    definitions: rest.filter(isDefinition),
    basics: [
      PRIORITY_CLASS,
      ...rest.filter((object) => !isDefinition(object)),
      ...extension.filter((object) => !isAsking(object)),
      ...clusterObjects(),
      metricsService(),
      ...(network ? [networkConfigMap(network)] : []),
    ].map(labelled),
    settings: settings(useEmulation),
    instancetypes: instancetypeObjects(),
    asking: extension.filter(isAsking),
  };
}

/** All of it, one after another, as `kubectl apply` takes it. */
export const inOrder = (all: Installation): KubeObject[] =>
  [all.namespace, ...all.definitions, ...all.basics, all.settings, ...all.instancetypes, ...all.asking].map(
    withChecksum,
  );

/** KubeVirt gives its components this priority, and users name it in pods that must not be evicted before VMs. */
const PRIORITY_CLASS: KubeObject = {
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name: 'kubevirt-cluster-critical' },
  value: 1_000_000_000,
  globalDefault: false,
  description: 'This priority class should be used for core kubevirt components only.',
} as KubeObject;

const settings = (useEmulation: boolean | undefined): KubeObject =>
  ({
    apiVersion: 'kubevirt.io/v1',
    kind: 'KubeVirt',
    metadata: { name: KUBEVIRT_NAME, namespace: KUBEVIRT_NAMESPACE },
    spec: settingsSpec(useEmulation),
  }) as KubeObject;

/** The version is on it so that another one is noticed. */
const labelled = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, labels: { ...object.metadata.labels, ...MANAGED_BY, [VERSION_LABEL]: version } },
});

/** The version of Vireo that has installed an object, if one has. */
export const installedVersion = ({ metadata }: KubeObject): string | undefined =>
  metadata.labels?.['app.kubernetes.io/managed-by'] === 'vireo' ? metadata.labels[VERSION_LABEL] : undefined;
