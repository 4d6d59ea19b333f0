import { isDeleting, type Persisted, type PersistentVolumeClaim, timestamp } from '@vireo/api';
import { parseDuration } from '@vireo/api/duration.ts';
import { CONTENT_TYPE } from '@vireo/api/kinds/cdi/names.ts';
import { type ExportFormat, exportPath, manifestPath, volumePath } from '@vireo/api/kinds/export/names.ts';
import type {
  VirtualMachineExport,
  VirtualMachineExportLink,
  VirtualMachineExportStatus,
} from '@vireo/api/kinds/export/virtualMachineExport.ts';
import { setConditions } from '@vireo/api/kinds/kubevirt/conditions.ts';
import { STATE_LABEL } from '../vmi/backendStorage.ts';
import type { SourceState } from './source.ts';

const DEFAULT_LIFE_MS = 2 * 60 * 60_000;

/** When an export ends. */
export function endsAtMs({ metadata, spec }: Persisted<VirtualMachineExport>): number {
  return Date.parse(metadata.creationTimestamp) + (parseDuration(spec.ttlDuration ?? '') ?? DEFAULT_LIFE_MS);
}

/** How the server can be reached. */
export interface Reachable {
  /** With `https://`. */
  readonly url: string;
  /** What it is trusted by, in PEM. */
  readonly certificate: string;
}

export interface StatusParts {
  readonly source: SourceState;
  /** Undefined: nobody can reach it from outside this process. */
  readonly server: Reachable | undefined;
  /** The Secret with the password; undefined while there is none. */
  readonly tokenSecretRef: string | undefined;
  /** Whether a claim holds files beside its disk. */
  readonly hasDump: (claim: string) => boolean;
  readonly now: Date;
}

/** The status that an export should have. */
export function exportStatus(
  exported: Persisted<VirtualMachineExport>,
  parts: StatusParts,
): VirtualMachineExportStatus {
  const { source, server, tokenSecretRef, hasDump, now } = parts;
  const common = {
    ...(tokenSecretRef !== undefined && { tokenSecretRef }),
    ttlExpirationTime: timestamp(new Date(endsAtMs(exported))),
    ...(source.virtualMachineName !== undefined && { virtualMachineName: source.virtualMachineName }),
  };
  const conditions = exported.status?.conditions;
  if (isDeleting(exported)) {
    const ended = { type: 'Ready', status: 'False', reason: 'PodCompleted', message: 'the export has ended' };
    return { ...common, phase: 'Terminated', conditions: setConditions(conditions, [ended], now) };
  }
  const links = source.phase === 'Ready' && server ? linksOf(exported, source.claims, server, hasDump) : undefined;
  return {
    ...common,
    phase: source.phase,
    conditions: setConditions(conditions, [{ type: 'Ready', ...source.ready }, ...source.others], now),
    ...(links && { links: { external: links('external'), internal: links('internal') } }),
  };
}

const linksOf =
  (
    { metadata, spec }: Persisted<VirtualMachineExport>,
    claims: readonly PersistentVolumeClaim[],
    { url, certificate }: Reachable,
    hasDump: StatusParts['hasDump'],
  ) =>
  (way: 'internal' | 'external'): VirtualMachineExportLink => {
    const base = `${url}${exportPath(metadata.namespace ?? '', metadata.name)}`;
    const isOfVm = spec.source.kind !== 'PersistentVolumeClaim';
    return {
      cert: certificate,
      volumes: claims.map((claim) => {
        const { name = '' } = claim.metadata;
        const formats = formatsOf(claim, hasDump(name));
        return { name, formats: formats.map((format) => ({ format, url: `${base}/${volumePath(name, format)}` })) };
      }),
      ...(isOfVm && {
        manifests: (['all', 'auth-header-secret'] as const).map((type) => ({
          type,
          url: `${base}/${manifestPath(way, type)}`,
        })),
      }),
    };
  };

/** A claim is a disk, unless it is known to hold files: a dump of memory, the state of firmware, an archive. */
function formatsOf({ metadata }: PersistentVolumeClaim, hasDump: boolean): readonly ExportFormat[] {
  const hasFiles =
    hasDump || metadata.labels?.[STATE_LABEL] !== undefined || metadata.annotations?.[CONTENT_TYPE] === 'archive';
  return hasFiles ? ['dir', 'tar.gz'] : ['raw', 'gzip'];
}
