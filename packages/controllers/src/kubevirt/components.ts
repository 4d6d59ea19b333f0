import type { DaemonSet, Deployment } from '@vireo/api';
import { APP_LABEL, KUBEVIRT_NAMESPACE, KUBEVIRT_VERSION } from '@vireo/api/kinds/kubevirt/names.ts';
import type { Draft } from '@vireo/kube';

/** The parts of an installation that tools look for as Deployments. */
export const DEPLOYMENTS = ['virt-operator', 'virt-api', 'virt-controller'] as const;
/** The part that runs on every node. */
export const DAEMON_SET = 'virt-handler';

export type ComponentName = (typeof DEPLOYMENTS)[number];

/** Nominal: our parts are one program, which no image brings. */
export const REGISTRY = 'vireo';

const labelsOf = (name: string) => ({
  [APP_LABEL]: name,
  'app.kubernetes.io/component': 'kubevirt',
  'app.kubernetes.io/managed-by': 'virt-operator',
  'app.kubernetes.io/version': KUBEVIRT_VERSION,
});

const specOf = (name: string) => ({
  selector: { matchLabels: { [APP_LABEL]: name } },
  template: {
    metadata: { labels: { [APP_LABEL]: name } },
    spec: { containers: [{ name, image: `${REGISTRY}/${name}:${KUBEVIRT_VERSION}` }] },
  },
});

const metadataOf = (name: string) => ({ name, namespace: KUBEVIRT_NAMESPACE, labels: labelsOf(name) });

/** The Deployment that stands for one of our parts. */
export const componentDeployment = (name: ComponentName): Draft<Deployment> => ({
  metadata: metadataOf(name),
  spec: { replicas: 1, ...specOf(name) },
});

/** The DaemonSet that stands for the agents on the nodes. */
export const handlerDaemonSet = (): Draft<DaemonSet> => ({
  metadata: metadataOf(DAEMON_SET),
  spec: specOf(DAEMON_SET),
});
