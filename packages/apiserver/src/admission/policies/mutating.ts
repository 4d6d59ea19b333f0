import {
  ApiError,
  type MutatingAdmissionPolicy,
  type MutatingAdmissionPolicyBinding,
  type Persisted,
  type StatusReason,
  type UnknownObject,
} from '@vireo/api';
import { deepEqual, setOwn } from '@vireo/api/json.ts';
import { Pauses } from '../../pauses.ts';
import type { Authorizer } from '../../rbac/authorize.ts';
import { whenConverted } from '../../registry/notConverted.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import type { Seen } from '../expressions/activation.ts';
import { evaluateMatchConditions } from '../expressions/matchConditions.ts';
import { refuse } from '../refuse.ts';
import { type CompiledMutating, compileMutating } from './compile.ts';
import { type MutatingInvocation, MutationError, mutated } from './evaluateMutating.ts';
import { type PolicyContext, PolicySet } from './policySet.ts';
import { isProblem, type Step } from './types.ts';
import { namespaceObject } from './validating.ts';

type Policy = Persisted<MutatingAdmissionPolicy>;
type Binding = Persisted<MutatingAdmissionPolicyBinding>;

/** What mutations have to know of kinds. */
export interface MutatingContext extends PolicyContext {
  /** Reads a value as an object of that kind, with its defaults, or throws. */
  decode(kind: AdmissionRequest['kind'], value: unknown): UnknownObject;
}

interface Problem {
  readonly policy: Policy;
  readonly binding?: Binding;
  readonly message: string;
  readonly reason: StatusReason;
}

/** Admission by MutatingAdmissionPolicies. */
export class MutatingPolicies implements AdmissionPlugin {
  readonly name = 'MutatingAdmissionPolicy';
  readonly set: PolicySet<Policy, Binding, CompiledMutating>;
  readonly #context: MutatingContext;
  readonly #authorizer: Authorizer;

  constructor(context: MutatingContext, authorizer: Authorizer) {
    this.#context = context;
    this.#authorizer = authorizer;
    this.set = new PolicySet(compileMutating, context);
  }

  mutate(request: AdmissionRequest): Promise<void> | undefined {
    // Kinds that belong to a subresource have no schema to merge by.
    if (request.operation === 'DELETE' || request.objectKind) return undefined;
    const steps = whenConverted(() => this.set.steps(request));
    if (steps instanceof Promise) return steps.then((found) => this.#evaluate(found, request));
    return steps.length > 0 ? this.#evaluate(steps, request) : undefined;
  }

  async #evaluate(steps: readonly Step<Policy, Binding, CompiledMutating>[], request: AdmissionRequest): Promise<void> {
    const problems: Problem[] = steps.filter(isProblem).map((problem) => ({ ...problem, reason: 'Forbidden' }));
    const reinvocations = request.rounds.of(this.name);
    const pauses = new Pauses();
    const namespace = namespaceObject(request, this.#context.lookup);
    reinvocations.begin(request.object);
    for (const step of steps) {
      if (isProblem(step)) continue;
      const { policy, binding, params, version } = step;
      const seen = { request, namespace, params, version, authorizer: this.#authorizer };
      const failed = (message: string): void => void problems.push({ policy, binding, message, reason: 'Invalid' });
      const match = evaluateMatchConditions(step.compiled.conditions, seen, policy.spec?.failurePolicy);
      if (match.error !== undefined) failed(match.error);
      const key = keyOf(step);
      if (!match.matches || !reinvocations.isDue(key)) continue;
      const changed = await this.#invoke(step, seen, pauses, failed);
      reinvocations.called(key, changed, policy.spec?.reinvocationPolicy);
    }
    reinvocations.end();
    const denied = denial(
      request,
      problems.filter(({ policy }) => policy.spec?.failurePolicy !== 'Ignore'),
    );
    if (denied) throw denied;
  }

  /** Makes the changes of a policy, one after another. Returns whether the object is another than before. */
  async #invoke(
    step: MutatingInvocation,
    seen: Seen,
    pauses: Pauses,
    failed: (message: string) => void,
  ): Promise<boolean> {
    const { object, kind } = seen.request;
    if (!object) return false;
    let isChanged = false;
    for (let index = 0; index < step.compiled.mutations.length; index++) {
      const pause = pauses.due();
      if (pause) await pause;
      try {
        const result = this.#decode(kind, mutated(step, index, seen, object));
        if (deepEqual(result, object)) continue;
        isChanged = true;
        for (const key of Object.keys(object)) delete (object as Record<string, unknown>)[key];
        for (const [key, part] of Object.entries(result)) setOwn(object as Record<string, unknown>, key, part);
      } catch (error) {
        if (!(error instanceof MutationError)) throw error;
        failed(error.message);
      }
    }
    return isChanged;
  }

  /** What a policy makes must be an object of the same kind: the rest of the server relies on the types. */
  #decode(kind: AdmissionRequest['kind'], value: unknown): UnknownObject {
    try {
      return this.#context.decode(kind, value);
    } catch (error) {
      if (error instanceof ApiError || error instanceof TypeError) throw new MutationError(error.message);
      throw error;
    }
  }
}

/** What tells evaluations from each other: the same policy is evaluated for each binding and parameter. */
const keyOf = ({ policy, binding, params }: MutatingInvocation): string =>
  [policy.metadata.name, binding.metadata.name, params?.metadata.namespace, params?.metadata.name].join('/');

/** The first problem is the message, all are causes. The code is that of Forbidden, whatever the reason. */
function denial(request: AdmissionRequest, problems: readonly Problem[]): ApiError | undefined {
  const [first] = problems;
  if (!first) return undefined;
  const { status } = refuse(request, '');
  const causes = problems.map((problem) => ({ message: text(problem) }));
  return new ApiError(first.reason, text(first), { ...status.details, causes }, status.code);
}

const text = ({ policy, binding, message }: Problem): string =>
  binding
    ? `policy '${policy.metadata.name}' with binding '${binding.metadata.name}' denied request: ${message}`
    : `policy ${JSON.stringify(policy.metadata.name)} denied request: ${message}`;
