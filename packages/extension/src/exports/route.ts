import { EXPORT_PREFIX, type ExportFormat, FORMAT_FILES, manifestPath } from '@vireo/api/kinds/export/names.ts';
import type { VirtualMachineExport } from '@vireo/api/kinds/export/virtualMachineExport.ts';
import { ExportRefusal } from './refusal.ts';

const PATH = new RegExp(
  `^${EXPORT_PREFIX}(?:v1|v1beta1|v1alpha1)/namespaces/([a-z0-9-]+)/virtualmachineexports/([a-z0-9.-]+)/(.+)$`,
);

/** Which export a path is about, and what of it. */
export function parseExportPath(
  path: string,
): { readonly namespace: string; readonly name: string; readonly rest: string } | undefined {
  const [, namespace, name, rest] = PATH.exec(path) ?? [];
  return namespace && name && rest ? { namespace, name, rest } : undefined;
}

type Way = 'internal' | 'external';

/** What is asked of an export. */
export type ExportPart =
  | { readonly part: 'volume'; readonly claim: string; readonly file: string }
  | { readonly part: 'manifests'; readonly way: Way }
  | { readonly part: 'header-secret'; readonly way: Way };

/** Reads the rest of a path. Throws where the export offers nothing of that name. */
export function partOf({ metadata, status }: VirtualMachineExport, rest: string): ExportPart {
  const offered = status?.links?.external ?? status?.links?.internal;
  const [, claim = '', file = ''] = /^volumes\/([^/]+)\/(.+)$/.exec(rest) ?? [];
  const formats = (offered?.volumes ?? []).find(({ name }) => name === claim)?.formats ?? [];
  const isOffered = formats.some(({ format }) => {
    const known = FORMAT_FILES[format as ExportFormat];
    return format === 'dir' ? file.startsWith(known) : file === known;
  });
  if (isOffered) return { part: 'volume', claim, file };
  if ((offered?.manifests ?? []).length > 0)
    for (const way of ['external', 'internal'] as const) {
      if (rest === manifestPath(way, 'all')) return { part: 'manifests', way };
      if (rest === manifestPath(way, 'auth-header-secret')) return { part: 'header-secret', way };
    }
  throw new ExportRefusal(
    404,
    `VirtualMachineExport ${metadata.namespace}/${metadata.name} has no ${rest}; status.links lists what it has`,
  );
}
