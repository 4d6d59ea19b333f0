import {
  ApiError,
  notFound,
  type Persisted,
  type StatusReason,
  type UnknownObject,
  type ValidatingAdmissionPolicy,
  type ValidatingAdmissionPolicyBinding,
} from '@vireo/api';
import { Pauses } from '../../pauses.ts';
import type { Authorizer } from '../../rbac/authorize.ts';
import { whenConverted } from '../../registry/notConverted.ts';
import type { Lookup } from '../../strategies/strategy.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import type { AdmittedKinds } from '../kinds.ts';
import { objectNamespaceOf } from '../namespaceOf.ts';
import { refuse } from '../refuse.ts';
import { viewAs } from '../viewAs.ts';
import { PolicyAudit } from './audit.ts';
import { type CompiledValidating, compileValidating } from './compile.ts';
import { evaluateValidating, type Failure, type ValidatingInvocation } from './evaluateValidating.ts';
import { type PolicyContext, PolicySet } from './policySet.ts';
import { isProblem, type Step } from './types.ts';

type Policy = Persisted<ValidatingAdmissionPolicy>;
type Binding = Persisted<ValidatingAdmissionPolicyBinding>;

/** Admission by ValidatingAdmissionPolicies. */
export class ValidatingPolicies implements AdmissionPlugin {
  readonly name = 'ValidatingAdmissionPolicy';
  readonly set: PolicySet<Policy, Binding, CompiledValidating>;
  readonly #context: PolicyContext & Pick<AdmittedKinds, 'convert'>;
  readonly #authorizer: Authorizer;

  constructor(context: PolicyContext & Pick<AdmittedKinds, 'convert'>, authorizer: Authorizer) {
    this.#context = context;
    this.#authorizer = authorizer;
    this.set = new PolicySet(compileValidating, context);
  }

  validate(request: AdmissionRequest): Promise<void> | undefined {
    const steps = whenConverted(() => this.set.steps(request));
    if (steps instanceof Promise) return steps.then((found) => this.#evaluate(found, request));
    return steps.length > 0 ? this.#evaluate(steps, request) : undefined;
  }

  async #evaluate(
    steps: readonly Step<Policy, Binding, CompiledValidating>[],
    request: AdmissionRequest,
  ): Promise<void> {
    const denials: ApiError[] = [];
    const audited = new PolicyAudit();
    const pauses = new Pauses();
    const namespace = namespaceObject(request, this.#context.lookup);
    for (const step of steps) {
      if (isProblem(step)) {
        if (step.policy.spec?.failurePolicy !== 'Ignore') denials.push(denial(request, step, step));
        continue;
      }
      const { version, params } = step;
      const isAsSent = version === request.kind.version;
      const view = isAsSent ? request : await viewAs(this.#context, request, { ...request.kind, version });
      const seen = { request: view, namespace, authorizer: this.#authorizer, version, params };
      const { failures, annotationErrors, annotations } = await evaluateValidating(step, seen, pauses);
      audited.add(step, failures, annotations);
      denials.push(...failures.flatMap((failure) => act(request, step, failure)));
      denials.push(...annotationErrors.map((message) => denial(request, step, { message })));
    }
    audited.publish();
    if (denials[0]) throw denials[0];
  }
}

/** The namespace of the object, for expressions. */
export function namespaceObject(request: AdmissionRequest, lookup: Lookup): UnknownObject | undefined {
  const name = objectNamespaceOf(request);
  if (!name) return undefined;
  const found = lookup.get('', 'namespaces', undefined, name);
  if (!found) throw notFound({ group: '', resource: 'namespaces' }, name);
  return found;
}

/** What the binding says is to be done; Audit is done with all failures together. */
function act(request: AdmissionRequest, step: ValidatingInvocation, failure: Failure): ApiError[] {
  const { policy, binding } = step;
  return (binding.spec?.validationActions ?? []).flatMap((action) => {
    if (action === 'Warn')
      request.warn(
        `Validation failed for ValidatingAdmissionPolicy '${policy.metadata.name}' with binding '${binding.metadata.name}': ${failure.message}`,
      );
    return action === 'Deny' ? [denial(request, step, failure)] : [];
  });
}

function denial(
  request: AdmissionRequest,
  { policy, binding }: { policy: Policy; binding?: Binding },
  failure: { readonly message: string; readonly reason?: StatusReason },
): ApiError {
  const by = binding ? ` with binding '${binding.metadata.name}'` : '';
  const message = `ValidatingAdmissionPolicy '${policy.metadata.name}'${by} denied request: ${failure.message}`;
  const { status } = refuse(request, message);
  return new ApiError(failure.reason ?? 'Invalid', status.message as string, {
    ...status.details,
    causes: [{ message }],
  });
}
