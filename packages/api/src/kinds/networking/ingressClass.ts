import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, opt, req, string, struct } from '../../schema.ts';
import { ageColumn } from '../columns.ts';

export const IngressClassParametersReference = struct(
  'io.k8s.api.networking.v1.IngressClassParametersReference',
  'Refers to an object with further settings.',
  {
    apiGroup: opt(1, string, { pointer: true, doc: 'API group of the object. Empty for the core group.' }),
    kind: req(2, string, 'Kind of the object.'),
    name: req(3, string, 'Name of the object.'),
    namespace: opt(5, string, { pointer: true, doc: 'Namespace of the object, for scope Namespace.' }),
    scope: opt(4, string, {
      default: 'Cluster',
      pointer: true,
      doc: 'Whether the object is in a namespace: Cluster or Namespace. Defaults to Cluster.',
    }),
  },
);
export interface IngressClassParametersReference extends Infer<typeof IngressClassParametersReference> {}

export const IngressClassSpec = struct('io.k8s.api.networking.v1.IngressClassSpec', 'Who handles an Ingress.', {
  controller: opt(1, string, 'Name of the controller, such as example.com/ingress-controller.'),
  parameters: opt(2, IngressClassParametersReference, 'Object with further settings.'),
});
export interface IngressClassSpec extends Infer<typeof IngressClassSpec> {}

export const IngressClassSchema = struct(
  'io.k8s.api.networking.v1.IngressClass',
  'Names the controller that handles Ingresses of this class.',
  { ...objectFields, spec: opt(2, IngressClassSpec, 'Desired state of the IngressClass.') },
);
export interface IngressClass extends Infer<typeof IngressClassSchema> {}

export const IngressClass = defineKind<IngressClass>({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'IngressClass',
  plural: 'ingressclasses',
  namespaced: false,
  schema: IngressClassSchema,
  generation: true,
  columns: [
    {
      name: 'Controller',
      type: 'string',
      description: 'Controller that handles the class.',
      value: ({ spec }) => spec?.controller ?? '',
    },
    {
      name: 'Parameters',
      type: 'string',
      description: 'Object with further settings.',
      value: ({ spec }) => {
        const { kind, apiGroup, name } = spec?.parameters ?? {};
        return kind ? `${apiGroup ? `${kind}.${apiGroup}` : kind}/${name}` : '<none>';
      },
    },
    ageColumn,
  ],
});
