import { controllerReference, type Pod } from '@vireo/api';
import { STATE_VOLUME } from '@vireo/api/kinds/kubevirt/backendStorage.ts';
import { hostnameOf } from '@vireo/api/kinds/kubevirt/hostname.ts';
import {
  APP_LABEL,
  CREATED_BY_LABEL,
  LAUNCHER_APP,
  MEMORY_OVERHEAD_ANNOTATION,
  UNPAUSED_CONDITION,
  VM_NAME_LABEL,
} from '@vireo/api/kinds/kubevirt/names.ts';
import { gracePeriodSecondsOf, QEMU_USER, Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import {
  architectureOf,
  type ClusterConfig,
  launcherNodeSelector,
  launcherResources,
  rejectedNodeLabels,
  resolveRuntime,
} from '@vireo/hypervisor';
import type { Draft } from '@vireo/kube';
import { claimsToStart } from '../claims.ts';
import { filesystemContainers } from './filesystemContainers.ts';
import { vmiId } from './hostname.ts';
import { launcherCommand } from './launcherCommand.ts';
import { launcherName, launcherPrefix } from './launcherName.ts';
import { launcherTolerations } from './launcherTolerations.ts';
import { namedObjects } from './namedObjects.ts';
import { withoutNodesOf } from './nodeAffinity.ts';

/** Nominal: the node runs a domain, not this image. Tools show it, and upgrades are recognised by it. */
export const LAUNCHER_IMAGE = 'vireo/virt-launcher';

/** What the launcher and the kubelet each need beyond the time that the guest has to shut down. */
const LAUNCHER_GRACE_SECONDS = 15;

/** Annotations that are about the VMI object itself. */
const NOT_INHERITED = ['kubevirt.io/latest-observed-api-version', 'kubevirt.io/storage-observed-api-version'];

/** As KubeVirt says it. Whom a guest really runs as is its node's choice: a user of the guest's own. */
const NOT_ROOT = { runAsUser: QEMU_USER, runAsGroup: QEMU_USER, runAsNonRoot: true };
const ROOT = { runAsUser: 0 };

/**
 * The pod that stands for a running VMI: what the scheduler places and what the node turns into a domain.
 * `allocatable` are the resources that some node has: devices that a hypervisor can do without are asked for only if there.
 * `nodeName` is where the guest runs already, if it does.
 */
export function launcherPod(
  vmi: Vmi,
  config: ClusterConfig,
  backendStorageClaim?: string,
  allocatable?: ReadonlySet<string>,
  nodeName?: string,
): Draft<Pod> {
  const { metadata, spec } = vmi;
  const graceSeconds = gracePeriodSecondsOf(vmi) + LAUNCHER_GRACE_SECONDS;
  const { requests, limits } = launcherResources(vmi, config, {}, allocatable);
  const runtime = resolveRuntime(config.hypervisor, config.useEmulation, architectureOf(spec, config));
  const overheadBytes = runtime.memoryOverheadBytes(vmi, config);
  const shown = spec.volumes?.find(({ serviceAccount }) => serviceAccount)?.serviceAccount;
  const isRoot = config.gates.has('Root');
  const { imagePullSecrets, volumes: objects = [] } = namedObjects(vmi);
  // Tokens are bound to a pod, and only to one of the same account.
  const account = spec.serviceAccountName ?? shown?.serviceAccountName;
  return {
    metadata: {
      name: launcherName(vmi),
      generateName: launcherPrefix(vmi),
      namespace: metadata.namespace,
      labels: {
        ...metadata.labels,
        [APP_LABEL]: LAUNCHER_APP,
        [CREATED_BY_LABEL]: metadata.uid,
        [VM_NAME_LABEL]: hostnameOf(vmi),
        'vmi.kubevirt.io/id': vmiId(vmi),
      },
      annotations: {
        ...inheritedAnnotations(vmi),
        'kubevirt.io/domain': metadata.name,
        'kubectl.kubernetes.io/default-container': 'compute',
        'kubevirt.io/migrationTransportUnix': 'true',
        'descheduler.alpha.kubernetes.io/request-evict-only': '',
        [MEMORY_OVERHEAD_ANNOTATION]: String(overheadBytes),
      },
      ownerReferences: [controllerReference(vmi, Vmi)],
    },
    spec: {
      ...(nodeName !== undefined && { nodeName }),
      hostname: hostnameOf(vmi),
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: graceSeconds + LAUNCHER_GRACE_SECONDS,
      automountServiceAccountToken: false,
      ...(account !== undefined && { serviceAccountName: account }),
      ...(imagePullSecrets && { imagePullSecrets }),
      enableServiceLinks: false,
      securityContext: isRoot ? ROOT : { ...NOT_ROOT, fsGroup: QEMU_USER },
      readinessGates: [{ conditionType: UNPAUSED_CONDITION }],
      nodeSelector: launcherNodeSelector(vmi, config),
      ...inheritedPlacement(vmi, config),
      tolerations: launcherTolerations([...(spec.tolerations ?? []), ...(runtime.tolerations ?? [])]),
      containers: [
        {
          name: 'compute',
          image: LAUNCHER_IMAGE,
          imagePullPolicy: 'IfNotPresent',
          command: launcherCommand(vmi, config, graceSeconds),
          resources: { requests: { ...requests }, limits: { ...limits } },
          securityContext: isRoot
            ? { ...ROOT, capabilities: { add: ['NET_BIND_SERVICE', 'SYS_NICE'] } }
            : {
                ...NOT_ROOT,
                allowPrivilegeEscalation: false,
                capabilities: { add: ['NET_BIND_SERVICE'], drop: ['ALL'] },
              },
        },
        ...filesystemContainers(vmi, LAUNCHER_IMAGE),
      ],
      // The node opens disks itself. Claims are named all the same: schedulers place by them and protect them.
      // Secrets and ConfigMaps are named because the node may read no others.
      volumes: [
        ...claimsToStart(spec.volumes).map(({ volume, claim }) => podVolume(volume, claim)),
        ...(backendStorageClaim ? [podVolume(STATE_VOLUME, backendStorageClaim)] : []),
        ...objects,
      ],
    },
  };
}

const podVolume = (name: string, claimName: string) => ({ name, persistentVolumeClaim: { claimName } });

function inheritedAnnotations({ metadata }: Vmi): Record<string, string> {
  const entries = Object.entries(metadata.annotations ?? {});
  return Object.fromEntries(
    entries.filter(([key]) => !key.startsWith('kubectl.kubernetes.io') && !NOT_INHERITED.includes(key)),
  );
}

/** What the VMI says about where and under which conditions it runs, word for word but for nodes that cannot run it. */
function inheritedPlacement(vmi: Vmi, config: ClusterConfig): Partial<NonNullable<Pod['spec']>> {
  const { spec } = vmi;
  const { subdomain, topologySpreadConstraints, schedulerName } = spec;
  const { priorityClassName, dnsPolicy, dnsConfig } = spec;
  const given = {
    subdomain,
    affinity: withoutNodesOf(rejectedNodeLabels(vmi, config), spec.affinity),
    topologySpreadConstraints,
    schedulerName,
    priorityClassName,
    dnsPolicy,
    dnsConfig,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
