import { isObject } from '@vireo/api/json.ts';
import type { BackupObjectsField } from '@vireo/api/kinds/harvester/backupObjects.ts';
import { keyPairsOf } from '@vireo/api/kinds/harvester/keyPair.ts';
import { SSH_NAMES } from '@vireo/api/kinds/harvester/names.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';

type Names = ReadonlyMap<string, string>;
type Template = Vm['spec']['template'];

/** What the objects that a VM refers to are called where it is restored, by their names in the backup. */
export interface Renamed extends Readonly<Record<BackupObjectsField, Names>> {
  /** Revisions of instance types and preferences. */
  readonly revisions: Names;
  readonly namespace: { readonly from: string; readonly to: string };
}

/** The template with its Secrets, ConfigMaps and KeyPairs named as they are called now. */
export function withRenamed(template: Template, renamed: Renamed): Template {
  const { spec } = template;
  const { volumes, accessCredentials } = spec ?? {};
  return {
    ...withKeyPairs(template, renamed),
    ...(spec && {
      spec: {
        ...spec,
        ...(volumes && { volumes: renameIn(volumes, renamed) as typeof volumes }),
        ...(accessCredentials && {
          accessCredentials: renameIn(accessCredentials, renamed) as typeof accessCredentials,
        }),
      },
    }),
  };
}

/** The fields that hold an object with the `name` of a Secret or a ConfigMap, wherever they are. */
const REFERENCES: Readonly<Record<string, 'secrets' | 'configMaps'>> = {
  secretRef: 'secrets',
  networkDataSecretRef: 'secrets',
  secret: 'secrets',
  configMap: 'configMaps',
};

function renameIn(value: unknown, renamed: Renamed): unknown {
  if (Array.isArray(value)) return value.map((each) => renameIn(each, renamed));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => {
      if (field === 'secretName' && typeof inner === 'string') return [field, renamed.secrets.get(inner) ?? inner];
      const kind = REFERENCES[field];
      const other = kind && isObject(inner) && typeof inner.name === 'string' && renamed[kind].get(inner.name);
      return [field, other && isObject(inner) ? { ...inner, name: other } : renameIn(inner, renamed)];
    }),
  );
}

/** KeyPairs are named with their namespace. */
function withKeyPairs(template: Template, { keyPairs, namespace: { from, to } }: Renamed): Template {
  const { metadata } = template;
  if (from === to || keyPairs.size === 0 || !metadata) return template;
  const ids = keyPairsOf(template).map((id) => {
    const [name = '', of = from] = id.split('/').reverse();
    const other = of === from ? keyPairs.get(name) : undefined;
    return other === undefined ? id : `${to}/${other}`;
  });
  return {
    ...template,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [SSH_NAMES]: JSON.stringify(ids) } },
  };
}
