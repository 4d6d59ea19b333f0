import type { Random } from '../../faults/random.ts';
import type { Case, Step } from '../../oracle/case.ts';
import { SAMPLE, TYPES } from '../../oracle/cases/celSample.ts';
import { apply, crd, create, mergePatch, put, withSpec } from '../../oracle/cases/steps.ts';
import { randomExpression } from '../../oracle/generators/expression.ts';
import { mutated } from './mutate.ts';

type Body = Record<string, unknown>;

const API = '/apis/admissionregistration.k8s.io/v1';
const NAME = 'fuzz.{group}';
/** Only what the case is about: a policy that fails for everything would keep the server from its own work. */
const MATCH = {
  resourceRules: [
    { apiGroups: ['{group}'], apiVersions: ['*'], operations: ['*'], resources: ['widgets', 'widgets/*'] },
  ],
};

const VARIABLES = [
  'object.spec',
  'oldObject.spec',
  'variables.v',
  'params',
  'request',
  'namespaceObject',
  'authorizer',
];
const OTHERS = [
  "authorizer.group('').resource('pods').namespace('default').check('get').allowed()",
  "authorizer.requestResource.check('update').reason() == ''",
  "request.userInfo.groups.exists(g, g == 'system:masters')",
  'object.spec.list.all(a, object.spec.list.all(b, object.spec.list.all(c, a + b + c > -1)))',
  "object == oldObject && params.data['x'] == ''",
  'variables.v == variables.v && variables.nope',
];

/** An expression of rules, about one of the things that a policy can see. */
function expression(random: Random): string {
  if (random.next() < 0.2) return random.pick(OTHERS);
  return randomExpression(random).replaceAll(/\bself\b/g, () =>
    random.next() < 0.85 ? 'object.spec' : random.pick(VARIABLES),
  );
}

const mutation = (random: Random): Body =>
  random.pick<() => Body>([
    () => ({
      patchType: 'ApplyConfiguration',
      applyConfiguration: { expression: `Object{spec: Object.spec{s: string(${expression(random)})}}` },
    }),
    () => ({
      patchType: 'ApplyConfiguration',
      applyConfiguration: { expression: `Object{metadata: Object.metadata{labels: {'x': '${random.next()}'}}}` },
    }),
    () => ({
      patchType: 'JSONPatch',
      jsonPatch: { expression: `[JSONPatch{op: 'add', path: '/spec/any', value: ${expression(random)}}]` },
    }),
    // Each turn makes it twice as long.
    () => ({
      patchType: 'JSONPatch',
      jsonPatch: { expression: `[JSONPatch{op: 'copy', from: '/spec', path: '/spec/any'}]` },
    }),
    () => ({
      patchType: 'JSONPatch',
      jsonPatch: {
        expression: `[JSONPatch{op: 'remove', path: '${random.pick(['/', '', '/spec', '/kind', '/metadata'])}'}]`,
      },
    }),
  ])();

function policySpec(random: Random, isMutating: boolean): Body {
  const some = <T>(make: () => T): T[] => Array.from({ length: random.between(1, 3) }, make);
  const rules = isMutating
    ? { mutations: some(() => mutation(random)), reinvocationPolicy: random.pick(['Never', 'IfNeeded']) }
    : {
        validations: some(() => ({
          expression: `(${expression(random)}) == (${expression(random)})`,
          ...(random.next() < 0.5 && { messageExpression: `string(${expression(random)})` }),
        })),
        ...(random.next() < 0.3 && {
          auditAnnotations: [{ key: 'k', valueExpression: `string(${expression(random)})` }],
        }),
      };
  return {
    failurePolicy: random.pick(['Fail', 'Ignore']),
    matchConstraints: MATCH,
    ...rules,
    ...(random.next() < 0.3 && { variables: [{ name: 'v', expression: expression(random) }] }),
    ...(random.next() < 0.2 && { matchConditions: [{ name: 'm', expression: expression(random) }] }),
    ...(random.next() < 0.2 && {
      paramKind: { apiVersion: 'v1', kind: random.pick(['ConfigMap', 'Nothing', 'Secret']) },
    }),
  };
}

/** A policy with expressions of any sort, and writes that it is asked about. What is mutated is not stored. */
export function hostilePolicy(random: Random): Case {
  const isMutating = random.next() < 0.5;
  const kind = isMutating ? 'MutatingAdmissionPolicy' : 'ValidatingAdmissionPolicy';
  const spec = policySpec(random, isMutating);
  const params = spec.paramKind !== undefined && {
    paramRef: { name: 'kube-root-ca.crt', namespace: 'default', parameterNotFoundAction: 'Deny' },
  };
  const binding = {
    policyName: NAME,
    ...(!isMutating && { validationActions: random.pick([['Deny'], ['Warn'], ['Audit', 'Deny']]) }),
    ...params,
  };
  const made = [object(kind, spec), object(`${kind}Binding`, binding)];
  const tried = made.map((step): Step => ({ ...step, body: mutated(random, step.body), query: { dryRun: 'All' } }));
  const writes = [
    create({ spec: SAMPLE }),
    apply('one', { spec: { i: 4, s: 'x' } }),
    mergePatch({ spec: { s: 'y', any: null } }),
    put({ spec: mutated(random, SAMPLE) }),
  ];
  const removals = made.map(({ path }): Step => ({ method: 'DELETE', path: `${path}/${NAME}` }));
  return { name: `a ${kind}`, area: 'cel', steps: [crd(withSpec(TYPES)), ...tried, ...made, ...writes, ...removals] };
}

/** Policies each of which makes the object twice as large, and of which each sees what the others have made. */
export function policiesThatMultiply(): Step[] {
  const names = Array.from({ length: 12 }, (_, i) => `fuzz${i}.{group}`);
  const spec = {
    failurePolicy: 'Fail',
    reinvocationPolicy: 'IfNeeded',
    matchConstraints: MATCH,
    mutations: [
      {
        patchType: 'JSONPatch',
        jsonPatch: { expression: `[JSONPatch{op: 'copy', from: '/spec', path: '/spec/any'}]` },
      },
    ],
  };
  const made = names.flatMap((name) => [
    object('MutatingAdmissionPolicy', spec, name),
    object('MutatingAdmissionPolicyBinding', { policyName: name }, name),
  ]);
  const removals = made.map(({ path }, i): Step => ({ method: 'DELETE', path: `${path}/${names[i >> 1]}` }));
  const large = create({ spec: { any: 'x'.repeat(1_000_000) } });
  return [crd(withSpec(TYPES)), ...made, large, { ...large, query: { dryRun: 'All' } }, ...removals];
}

const object = (kind: string, spec: Body, name = NAME): Step => ({
  method: 'POST',
  path: `${API}/${kind
    .toLowerCase()
    .replace(/policy$/, 'policies')
    .replace(/binding$/, 'bindings')}`,
  body: { apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata: { name }, spec },
});
