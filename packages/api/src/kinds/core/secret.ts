import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, bytes, type Infer, map, opt, string, struct } from '../../schema.ts';
import { ageColumn } from '../columns.ts';

export const SecretSchema = struct('io.k8s.api.core.v1.Secret', 'Confidential data as keys and values.', {
  ...objectFields,
  data: opt(2, map(bytes), 'Values by key, encoded in base64.'),
  immutable: opt(5, boolean, { pointer: true, doc: 'Whether the data can never be changed again.' }),
  stringData: opt(4, map(string), 'Values as plain text, by key. Written into data; never shown.'),
  type: opt(3, string, { default: 'Opaque', doc: 'Type of the data, such as Opaque or kubernetes.io/tls.' }),
});
export interface Secret extends Infer<typeof SecretSchema> {}

export const Secret = defineKind<Secret>({
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  namespaced: true,
  schema: SecretSchema,
  columns: [
    { name: 'Type', type: 'string', description: 'Type of the data.', value: (secret) => secret.type },
    {
      name: 'Data',
      type: 'string',
      description: 'Number of keys in the secret.',
      value: (secret) => Object.keys(secret.data ?? {}).length,
    },
    ageColumn,
  ],
  selectableFields: { type: (secret) => secret.type ?? '' },
});
