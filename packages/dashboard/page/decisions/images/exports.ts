import type { Condition, KubeObject } from '../../data/kinds.ts';
import type { State } from '../states.ts';

interface ExportLinks {
  readonly volumes?: readonly {
    readonly name: string;
    readonly formats?: readonly { readonly format: string; readonly url: string }[];
  }[];
}

export interface VmExport extends KubeObject {
  readonly spec?: {
    readonly source?: { readonly apiGroup?: string; readonly kind?: string; readonly name?: string };
    readonly ttlDuration?: string;
  };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly Condition[];
    readonly ttlExpirationTime?: string;
    readonly tokenSecretRef?: string;
    readonly links?: { readonly external?: ExportLinks; readonly internal?: ExportLinks };
  };
}

export type ExportSource = 'PersistentVolumeClaim' | 'VirtualMachine' | 'VirtualMachineSnapshot';

const GROUPS: Readonly<Record<ExportSource, string>> = {
  PersistentVolumeClaim: '',
  VirtualMachine: 'kubevirt.io',
  VirtualMachineSnapshot: 'snapshot.kubevirt.io',
};
const FLAGS: Readonly<Record<string, string>> = {
  PersistentVolumeClaim: '--pvc',
  VirtualMachine: '--vm',
  VirtualMachineSnapshot: '--snapshot',
};

export const EXPORTS = '/apis/export.kubevirt.io/v1';
export const exportPath = (namespace: string | undefined, name?: string): string =>
  `${EXPORTS}${namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`}/virtualmachineexports${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;

export const exportFrom = (
  namespace: string,
  name: string,
  source: { readonly kind: ExportSource; readonly name: string },
  ttl: string,
): object => ({
  apiVersion: 'export.kubevirt.io/v1',
  kind: 'VirtualMachineExport',
  metadata: { name, namespace },
  spec: { source: { apiGroup: GROUPS[source.kind], ...source }, ttlDuration: ttl },
});

/** A file to download. */
export interface ExportFile {
  readonly volume: string;
  readonly format: string;
  readonly url: string;
}

/** The files of an export; those of directories have no single one. */
export function filesOf({ status }: VmExport): ExportFile[] {
  const links = status?.links?.external ?? status?.links?.internal;
  return (links?.volumes ?? []).flatMap(({ name, formats = [] }) =>
    formats.filter(({ format }) => format !== 'dir').map(({ format, url }) => ({ volume: name, format, url })),
  );
}

const PREFIX = /^\/api\/export\.kubevirt\.io\/[a-z0-9]+\/namespaces\/([^/]+)\/virtualmachineexports\/([^/]+)\/(.+)$/;

/** Whoever serves the page, and where the cluster is if that is another. */
export interface Place {
  readonly mode: string;
  readonly server: string | undefined;
  readonly origin: string;
}

/**
 * The address of a file at whoever serves the page; undefined if it has no way there. `vireo dashboard` finds the token
 * itself; the cluster's own server takes it from the address.
 */
export function downloadAddress({ url }: ExportFile, place: Place, token: string | undefined): string | undefined {
  const parsed = URL.parse(url);
  const [, namespace, name, rest] = PREFIX.exec(parsed?.pathname ?? '') ?? [];
  if (!parsed || rest === undefined) return undefined;
  if (place.mode === 'local') {
    if (parsed.origin !== URL.parse(place.server ?? '')?.origin) return undefined;
    return `/dashboard/exports/${namespace}/${name}/${rest}`;
  }
  return token === undefined
    ? undefined
    : `${parsed.pathname}?${new URLSearchParams({ 'x-kubevirt-export-token': token })}`;
}

/** The command that downloads a file anywhere. */
export function downloadCommand({ metadata }: VmExport, { volume, format }: ExportFile): string {
  const [raw, extension] = format === 'raw' ? [' --format=raw', 'img'] : ['', format === 'gzip' ? 'img.gz' : format];
  return `vireo vmexport download ${metadata.name} -n ${metadata.namespace ?? 'default'} --volume=${volume}${raw} --output=${volume}.${extension}`;
}

/** The command that exports and downloads at once. */
export const exportCommand = (
  namespace: string,
  source: { readonly kind: ExportSource; readonly name: string },
): string =>
  `vireo vmexport download ${source.name} -n ${namespace} ${FLAGS[source.kind]}=${source.name} --output=${source.name}.img.gz`;

const STATES: Readonly<Record<string, Pick<State, 'group' | 'label'>>> = {
  Ready: { group: 'running', label: 'Ready' },
  Pending: { group: 'starting', label: 'Waiting' },
  Skipped: { group: 'off', label: 'Nothing to export' },
  Terminated: { group: 'stopping', label: 'Ended' },
};

export function exportState({ metadata, status }: VmExport): State {
  if (metadata.deletionTimestamp) return { group: 'stopping', label: 'Being deleted', word: 'Terminating' };
  const word = status?.phase ?? 'Pending';
  const known = Object.hasOwn(STATES, word) ? STATES[word] : undefined;
  return known ? { ...known, word } : { group: 'unclear', label: word, word };
}

/** Why there is nothing to download yet. */
export const exportReason = ({ status }: VmExport): string | undefined =>
  status?.phase === 'Ready'
    ? undefined
    : status?.conditions?.find(({ type, status: is, message }) => type === 'Ready' && is !== 'True' && message)
        ?.message;
