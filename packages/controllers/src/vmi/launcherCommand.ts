import { createHash } from 'node:crypto';
import type { Pod } from '@vireo/api';
import { FAIL_FAST_ANNOTATION } from '@vireo/api/kinds/kubevirt/names.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type ClusterConfig, effectiveHypervisor } from '@vireo/hypervisor';

const SHORTEST_TIMEOUT_SECONDS = 240;
const TIMEOUT_SPREAD_SECONDS = 120;

/** The command of the `compute` container. The node reads the hypervisor and the emulation from it. */
export function launcherCommand({ metadata }: Vmi, config: ClusterConfig, graceSeconds: number): string[] {
  return [
    '/usr/bin/virt-launcher-monitor',
    '--qemu-timeout',
    `${qemuTimeoutSeconds(metadata.uid)}s`,
    '--name',
    metadata.name,
    '--uid',
    metadata.uid,
    '--namespace',
    metadata.namespace ?? '',
    '--kubevirt-share-dir',
    '/var/run/kubevirt',
    '--ephemeral-disk-dir',
    '/var/run/kubevirt-ephemeral-disks',
    '--container-disk-dir',
    '/var/run/kubevirt/container-disks',
    '--grace-period-seconds',
    String(graceSeconds),
    '--hook-sidecars',
    '0',
    '--ovmf-path',
    config.configuration.ovmfPath ?? '/usr/share/OVMF',
    '--disk-memory-limit',
    String(config.configuration.developerConfiguration?.diskVerification?.memoryLimit ?? '2000M'),
    '--hypervisor',
    config.hypervisor,
    '--run-as-nonroot',
    ...(config.useEmulation ? ['--allow-emulation'] : []),
    ...(metadata.annotations?.[FAIL_FAST_ANNOTATION] !== undefined ? ['--simulate-crash'] : []),
  ];
}

/** The hypervisor that a launcher was made for: the one that really runs its guest. */
export function launcherHypervisor({ spec }: Pod): string | undefined {
  const words = spec?.containers.find(({ name }) => name === 'compute')?.command ?? [];
  const name = words[words.indexOf('--hypervisor') + 1];
  return words.includes('--hypervisor') && name
    ? effectiveHypervisor(name, words.includes('--allow-emulation'))
    : undefined;
}

/** Spread over two minutes, so that VMs started together do not give up together; the same for the same VM. */
const qemuTimeoutSeconds = (uid: string): number =>
  SHORTEST_TIMEOUT_SECONDS + (createHash('sha256').update(uid).digest().readUInt32BE(0) % TIMEOUT_SPREAD_SECONDS);
