import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  Persisted,
  UnknownObject,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '@vireo/api';

/** A policy of either kind, as it is stored. */
export type Policy = Persisted<ValidatingAdmissionPolicy> | Persisted<MutatingAdmissionPolicy>;

/** A binding of either kind, as it is stored. */
export type Binding = Persisted<ValidatingAdmissionPolicyBinding> | Persisted<MutatingAdmissionPolicyBinding>;

/** One evaluation: a policy, as a binding puts it into force, with one parameter. */
export interface Invocation<P extends Policy, B extends Binding, C> {
  readonly policy: P;
  readonly binding: B;
  readonly compiled: C;
  /** The version in which the policy sees the objects. */
  readonly version: string;
  /** Null: there is none. */
  readonly params: UnknownObject | null;
}

/** A policy or a binding that cannot be evaluated as it is. */
export interface ConfigurationProblem<P extends Policy, B extends Binding> {
  readonly policy: P;
  /** Absent: it is the policy itself. */
  readonly binding?: B;
  readonly message: string;
}

/** Evaluations and problems in the order of policies and bindings. */
export type Step<P extends Policy, B extends Binding, C> = Invocation<P, B, C> | ConfigurationProblem<P, B>;

export const isProblem = <P extends Policy, B extends Binding, C>(
  step: Step<P, B, C>,
): step is ConfigurationProblem<P, B> => 'message' in step;
