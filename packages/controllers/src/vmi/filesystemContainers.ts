import type { Pod } from '@vireo/api';
import { QEMU_USER, sharedVolumes, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';

type Container = NonNullable<Pod['spec']>['containers'][number];

/** What KubeVirt reserves for each virtiofsd, and lets it have. */
const REQUESTS = { cpu: '10m', memory: '1M' };
const LIMITS = { cpu: '100m', memory: '80M' };

/** The containers of a launcher that stand for the daemons which serve directories: one for each filesystem. */
export const filesystemContainers = (vmi: Vmi, image: string): Container[] =>
  sharedVolumes(vmi).map(({ name }) => ({
    name: `virtiofs-${name}`,
    image,
    imagePullPolicy: 'IfNotPresent',
    command: ['/usr/libexec/virtiofsd'],
    args: [
      `--socket-path=/var/run/kubevirt/virtiofs-containers/${name}.sock`,
      `--shared-dir=/${name}`,
      '--sandbox=namespace',
      '--cache=auto',
    ],
    resources: isGuaranteed(vmi)
      ? { requests: { ...LIMITS }, limits: { ...LIMITS } }
      : { requests: { ...REQUESTS }, limits: { ...LIMITS } },
    securityContext: {
      runAsUser: QEMU_USER,
      runAsGroup: QEMU_USER,
      runAsNonRoot: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    },
  }));

/** Whether the VMI reserves all that it may use: a helper that reserves less would cost it that class. */
function isGuaranteed({ spec }: Vmi): boolean {
  const { requests = {}, limits = {} } = spec.domain.resources ?? {};
  const isReserved = (name: string): boolean =>
    limits[name] !== undefined && String(limits[name]) === String(requests[name] ?? limits[name]);
  return spec.domain.cpu?.dedicatedCpuPlacement === true || (isReserved('cpu') && isReserved('memory'));
}
