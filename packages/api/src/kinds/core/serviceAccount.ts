import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, list, opt, struct } from '../../schema.ts';
import { TokenRequestSchema } from '../authentication/tokenRequest.ts';
import { ageColumn } from '../columns.ts';
import { LocalObjectReference, ObjectReference } from './references.ts';

export const ServiceAccountSchema = struct(
  'io.k8s.api.core.v1.ServiceAccount',
  'Identity of processes in pods towards the API.',
  {
    ...objectFields,
    automountServiceAccountToken: opt(4, boolean, {
      pointer: true,
      doc: 'Whether a token is mounted into pods that use the account.',
    }),
    imagePullSecrets: opt(
      3,
      list(LocalObjectReference, 'atomic'),
      'Secrets with which pods that use the account pull images.',
    ),
    secrets: opt(2, list(ObjectReference, ['name']), {
      patch: 'merge',
      key: 'name',
      doc: 'Secrets that pods with the account may use.',
    }),
  },
);
export interface ServiceAccount extends Infer<typeof ServiceAccountSchema> {}

export const ServiceAccount = defineKind<ServiceAccount>({
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
  shortNames: ['sa'],
  schema: ServiceAccountSchema,
  subresources: [
    {
      name: 'token',
      verbs: ['create'],
      group: 'authentication.k8s.io',
      version: 'v1',
      kind: 'TokenRequest',
      schema: TokenRequestSchema,
    },
  ],
  columns: [
    {
      name: 'Secrets',
      type: 'string',
      description: 'Number of secrets that the account refers to.',
      value: (account) => account.secrets?.length ?? 0,
    },
    ageColumn,
  ],
});
