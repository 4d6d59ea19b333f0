import type {
  ExpressionWarning,
  Kind,
  Persisted,
  Schema,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicySpec,
  ValidatingAdmissionPolicyStatus,
} from '@vireo/api';
import { makeEnvironment, VariableTypes } from '../../admission/expressions/environment.ts';
import { type Environment, type SchemaType, schemaTypeOf, structsOf } from '../../cel/index.ts';
import { Pauses } from '../../pauses.ts';
import type { Registry } from '../../registry/registry.ts';
import { acyclic } from './acyclic.ts';

type Kinds = Pick<Registry, 'find' | 'findKind'>;

const MAX_KINDS = 10;

/** The status of a policy whose expressions are checked against the kinds that it is about. */
export async function typeCheckingStatus(
  { metadata, spec = {}, status }: Persisted<ValidatingAdmissionPolicy>,
  kinds: Kinds,
): Promise<ValidatingAdmissionPolicyStatus> {
  const expressionWarnings = await typeWarnings(spec, kinds);
  return {
    ...status,
    observedGeneration: metadata.generation ?? 0,
    typeChecking: expressionWarnings.length > 0 ? { expressionWarnings } : {},
  };
}

/** One warning for each expression that does not fit a kind. */
async function typeWarnings(spec: ValidatingAdmissionPolicySpec, kinds: Kinds): Promise<ExpressionWarning[]> {
  const expressions = (spec.validations ?? []).flatMap(({ expression, messageExpression = '' }, index) => [
    { fieldRef: `spec.validations[${index}].expression`, expression },
    { fieldRef: `spec.validations[${index}].messageExpression`, expression: messageExpression },
  ]);
  const found = expressions.map(({ fieldRef }) => ({ fieldRef, warnings: [] as string[] }));
  const pauses = new Pauses();
  for (const kind of checkedKinds(spec, kinds)) {
    const environment = environmentOf(spec, kind, kinds);
    for (const [index, { expression }] of expressions.entries()) {
      await pauses.due();
      const { issues } = expression ? environment.compile(expression) : {};
      if (issues !== undefined) found[index]?.warnings.push(`${gvkText(kind)}: ${issues}\n`);
    }
  }
  return found
    .filter(({ warnings }) => warnings.length > 0)
    .map(({ fieldRef, warnings }) => ({ fieldRef, warning: warnings.join('\n') }));
}

/** The kinds that a policy names; wildcards and subresources name none. */
function checkedKinds({ matchConstraints }: ValidatingAdmissionPolicySpec, kinds: Kinds): Kind[] {
  const found = new Map<string, Kind>();
  for (const { apiGroups = [], apiVersions = [], resources = [] } of matchConstraints?.resourceRules ?? []) {
    if ([...apiGroups, ...apiVersions].some((name) => name.includes('*'))) continue;
    for (const group of apiGroups.toSorted())
      for (const version of apiVersions.toSorted())
        for (const resource of resources.filter((name) => !/[*/]/.test(name)).sort()) {
          const kind = kinds.find(group, version, resource)?.kind;
          if (kind && found.size < MAX_KINDS) found.set(gvkText(kind), kind);
        }
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, kind]) => kind);
}

/** What the expressions of a policy can mention if `object` is of that kind. */
function environmentOf(spec: ValidatingAdmissionPolicySpec, kind: Kind, kinds: Kinds): Environment {
  const { apiVersion = '', kind: paramName = '' } = spec.paramKind ?? {};
  const paramKind = kinds.findKind(apiVersion, paramName)?.kind;
  const object = schemaType(kind, kind.kind);
  const params = paramKind && schemaType(paramKind, `${paramKind.kind}.params`);
  let environment = makeEnvironment(
    { params: spec.paramKind !== undefined, authorizer: true },
    { ...(object && { object: object.type }), ...(params && { params: params.type }) },
  );
  for (const type of [object, params]) if (type) environment = environment.extend({ structs: structsOf(type) });
  const types = new VariableTypes();
  environment = types.declareIn(environment);
  for (const { name, expression } of spec.variables ?? [])
    types.add(name, environment.compile(expression).program?.type);
  return environment;
}

const schemaType = (kind: Kind, name: string): SchemaType | undefined =>
  schemaTypeOf(acyclic(kind.schema as Schema), name, true);

/** As Go prints a GroupVersionKind: `apps/v1, Kind=Deployment`, `/v1, Kind=Pod`. */
const gvkText = ({ group, version, kind }: Kind): string => `${group}/${version}, Kind=${kind}`;
