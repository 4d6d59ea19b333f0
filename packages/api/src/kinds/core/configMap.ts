import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, bytes, type Infer, map, opt, string, struct } from '../../schema.ts';
import { ageColumn } from '../columns.ts';

export const ConfigMapSchema = struct('io.k8s.api.core.v1.ConfigMap', 'Configuration data as keys and values.', {
  ...objectFields,
  binaryData: opt(3, map(bytes), 'Binary values by key, encoded in base64.'),
  data: opt(2, map(string), 'Text values by key.'),
  immutable: opt(4, boolean, { pointer: true, doc: 'Whether the data can never be changed again.' }),
});
export interface ConfigMap extends Infer<typeof ConfigMapSchema> {}

export const ConfigMap = defineKind<ConfigMap>({
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
  shortNames: ['cm'],
  schema: ConfigMapSchema,
  columns: [
    {
      name: 'Data',
      type: 'string',
      description: 'Number of keys in the map.',
      value: ({ data = {}, binaryData = {} }) => Object.keys(data).length + Object.keys(binaryData).length,
    },
    ageColumn,
  ],
});

/** In every namespace: whom to trust, as the cluster says. */
export const ROOT_CA_CONFIG_MAP = 'kube-root-ca.crt';
