import { controllerOf } from '../../objects.ts';
import type { PersistentVolumeClaim } from '../core/persistentVolumeClaim.ts';
import type { Pod } from '../core/pod.ts';
import { IMPORT_CERTIFICATES, IMPORT_FATAL, IMPORT_SECRET, IMPORT_SECRET_HEADERS, IMPORT_SOURCE } from './names.ts';
import { waitsForData } from './populated.ts';

/**
 * A node may read only Secrets and ConfigMaps that a pod on it names. What an import needs, no launcher names: while
 * it is under way, an importer pod does. Nothing runs in it.
 */

const ROLE_LABEL = 'cdi.kubevirt.io';
const IMPORTER = 'importer';

/** The labels of importer pods, and the selector that finds them. */
export const IMPORTER_LABELS = { app: 'containerized-data-importer', [ROLE_LABEL]: IMPORTER } as const;
export const IMPORTER_SELECTOR = `${ROLE_LABEL}=${IMPORTER}`;

/** The objects in the namespace of a claim that its import reads. */
export interface ImportObjects {
  readonly secrets: readonly string[];
  readonly configMaps: readonly string[];
}

/** What the import of a claim reads; undefined where there is no such import, or it reads nothing. */
export function importObjects(claim: PersistentVolumeClaim): ImportObjects | undefined {
  const { annotations = {} } = claim.metadata;
  if (annotations[IMPORT_SOURCE] === undefined || annotations[IMPORT_FATAL] === 'true' || !waitsForData(claim))
    return undefined;
  const headers = Object.keys(annotations).filter((key) => key.startsWith(`${IMPORT_SECRET_HEADERS}.`));
  const namesAt = (...keys: string[]): string[] => [...new Set(keys.flatMap((key) => annotations[key] || []))].sort();
  const secrets = namesAt(IMPORT_SECRET, ...headers);
  const configMaps = namesAt(IMPORT_CERTIFICATES);
  return secrets.length + configMaps.length > 0 ? { secrets, configMaps } : undefined;
}

/** The claim that an importer pod is for; undefined for any other pod. */
export function importedClaim(pod: Pod): { readonly name: string; readonly uid: string } | undefined {
  if (pod.metadata.labels?.[ROLE_LABEL] !== IMPORTER) return undefined;
  const owner = controllerOf(pod);
  return owner?.kind === 'PersistentVolumeClaim' && owner.apiVersion === 'v1' ? owner : undefined;
}
