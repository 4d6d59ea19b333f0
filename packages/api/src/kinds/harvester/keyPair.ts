import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, list, string, struct } from '../../schema.ts';
import { ageDate } from '../customColumns.ts';
import { optional, required } from '../customResource.ts';
import { HarvesterCondition } from './harvesterParts.ts';
import { HARVESTER_GROUP, SSH_NAMES } from './names.ts';

export const KeyPairSpec = struct('io.harvesterhci.v1beta1.KeyPairSpec', 'The public half of a KeyPair.', {
  publicKey: required(string, 'Public key in the format of OpenSSH, such as ssh-ed25519 AAAA… comment.'),
});
export interface KeyPairSpec extends Infer<typeof KeyPairSpec> {}

export const KeyPairStatus = struct('io.harvesterhci.v1beta1.KeyPairStatus', 'Observed state of a KeyPair.', {
  conditions: optional(
    list(HarvesterCondition, 'atomic'),
    'Conditions: validated says whether the public key is valid.',
  ),
  fingerPrint: optional(string, 'MD5 fingerprint of the public key, in hexadecimal digits with colons.'),
});
export interface KeyPairStatus extends Infer<typeof KeyPairStatus> {}

export const KeyPairSchema = struct(
  'io.harvesterhci.v1beta1.KeyPair',
  'A public SSH key for VMs. The private key is never stored.',
  {
    ...objectFields,
    spec: required(KeyPairSpec, 'Desired state of the KeyPair.'),
    status: optional(KeyPairStatus, 'Observed state of the KeyPair. The system writes it.'),
  },
);
export interface KeyPair extends Infer<typeof KeyPairSchema> {}

export const KeyPair = defineKind<KeyPair>({
  group: HARVESTER_GROUP,
  version: 'v1beta1',
  kind: 'KeyPair',
  plural: 'keypairs',
  namespaced: true,
  shortNames: ['kp', 'kps'],
  schema: KeyPairSchema,
  columns: [
    {
      name: 'Finger_Print',
      type: 'string',
      jsonPath: '.status.fingerPrint',
      description: 'MD5 fingerprint of the public key.',
    },
    ageDate,
  ],
});

/** The KeyPairs that the template of a VM names, as `namespace/name`; none where nobody can read the annotation. */
export function keyPairsOf({
  metadata,
}: {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
}): string[] {
  try {
    const names: unknown = JSON.parse(metadata?.annotations?.[SSH_NAMES] ?? '[]');
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
  } catch {
    return [];
  }
}
