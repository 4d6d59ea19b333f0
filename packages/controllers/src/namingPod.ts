import { type Persisted, Pod } from '@vireo/api';
import type { ImportObjects } from '@vireo/api/kinds/cdi/importerPod.ts';
import { QEMU_USER } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type Client, type Draft, ignoreAlreadyExists, type Recorder } from '@vireo/kube';
import { objectsVolume } from './vmi/namedObjects.ts';

/** Nothing runs in these pods. The amounts are named for quotas that want to see some. */
const NOTHING = { cpu: '0', memory: '0' };

/** The spec of a pod that only names objects, so that its node may read them, and is gone as soon as it is deleted. */
export function namingSpec(container: string, { secrets, configMaps }: ImportObjects): NonNullable<Pod['spec']> {
  const volume = objectsVolume(secrets, configMaps);
  return {
    restartPolicy: 'Never',
    // With it goes the node's right.
    terminationGracePeriodSeconds: 0,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: QEMU_USER,
      runAsGroup: QEMU_USER,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [
      {
        name: container,
        // Nominal: the node works by itself.
        image: `vireo/${container}`,
        imagePullPolicy: 'IfNotPresent',
        resources: { requests: { ...NOTHING }, limits: { ...NOTHING } },
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
      },
    ],
    volumes: volume ? [volume] : [],
  };
}

/** The owner of the pod is told where it cannot be made, as by a quota. */
export async function createNamingPod(
  draft: Draft<Pod>,
  owner: Persisted,
  { client, recorder }: { readonly client: Client; readonly recorder: Recorder },
): Promise<void> {
  try {
    await client.of(Pod).create(draft).catch(ignoreAlreadyExists);
  } catch (error) {
    const why = error instanceof Error ? error.message : error;
    recorder.event(owner, 'Warning', 'FailedCreate', `Error creating pod ${draft.metadata.name}: ${why}`);
    throw error;
  }
}
