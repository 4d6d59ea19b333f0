import type { Kind } from '../../kind.ts';
import type { KubeObject } from '../../meta.ts';
import { ConfigMap, ROOT_CA_CONFIG_MAP } from '../core/configMap.ts';
import { Secret } from '../core/secret.ts';
import { configMapsOf, secretsOf } from '../kubevirt/namedByVmi.ts';
import type { VirtualMachineSpec } from '../kubevirt/virtualMachineSpec.ts';
import { KeyPair, keyPairsOf } from './keyPair.ts';

type Template = VirtualMachineSpec['template'];

/** Objects of one kind that a VM names, and that its backups contain. */
export interface BackupObjects {
  readonly kind: Kind<KubeObject>;
  /** The names of those that a VM of that namespace names; all are of its own namespace. */
  namesIn(template: Template, namespace: string): string[];
  /** What is stored of an object, beside its name. */
  readonly fields: readonly string[];
  /** What makes two of them the same to a guest. */
  readonly contents: readonly string[];
  /** Whether a new VM gets a copy by another name where an object of that name has other contents. */
  readonly isCopied: boolean;
  /** Of no use where it is restored. */
  isUseless?(object: KubeObject): boolean;
}

/** Everything that a VM names and its backups contain, by the field of the document at the target. */
export const BACKUP_OBJECTS = {
  secrets: {
    kind: Secret,
    namesIn: ({ spec }) => (spec ? secretsOf(spec) : []),
    fields: ['type', 'data'],
    contents: ['data'],
    isCopied: true,
    // It gives nobody rights any more.
    isUseless: (secret) => (secret as Secret).type === 'kubernetes.io/service-account-token',
  },
  configMaps: {
    kind: ConfigMap,
    // That one every cluster has of its own.
    namesIn: ({ spec }) => (spec ? configMapsOf(spec).filter((name) => name !== ROOT_CA_CONFIG_MAP) : []),
    fields: ['data', 'binaryData'],
    contents: ['data', 'binaryData'],
    isCopied: true,
  },
  /** The keys are in the guest's cloud-init; the objects are for people. */
  keyPairs: {
    kind: KeyPair,
    namesIn: (template, namespace) =>
      keyPairsOf(template).flatMap((id) => {
        const [name = '', of = namespace] = id.split('/').reverse();
        return of === namespace && name ? [name] : [];
      }),
    fields: ['spec'],
    contents: ['spec'],
    isCopied: false,
  },
} as const satisfies Record<string, BackupObjects>;

export type BackupObjectsField = keyof typeof BACKUP_OBJECTS;
