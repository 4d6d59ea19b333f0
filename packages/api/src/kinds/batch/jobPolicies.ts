import { type Infer, int32, list, opt, req, string, struct } from '../../schema.ts';

export const PodFailurePolicyOnExitCodesRequirement = struct(
  'io.k8s.api.batch.v1.PodFailurePolicyOnExitCodesRequirement',
  'Matches failed pods by exit code.',
  {
    containerName: opt(1, string, { pointer: true, doc: 'Name of the container. If empty, all containers count.' }),
    operator: req(2, string, 'How exit codes are compared: In or NotIn.'),
    values: req(3, list(int32, 'set'), 'Exit codes to compare with.'),
  },
);
export interface PodFailurePolicyOnExitCodesRequirement extends Infer<typeof PodFailurePolicyOnExitCodesRequirement> {}

export const PodFailurePolicyOnPodConditionsPattern = struct(
  'io.k8s.api.batch.v1.PodFailurePolicyOnPodConditionsPattern',
  'Matches failed pods by a condition.',
  {
    status: opt(2, string, { default: 'True', doc: 'Status that the condition must have.' }),
    type: req(1, string, 'Type of the condition.'),
  },
);
export interface PodFailurePolicyOnPodConditionsPattern extends Infer<typeof PodFailurePolicyOnPodConditionsPattern> {}

export const PodFailurePolicyRule = struct('io.k8s.api.batch.v1.PodFailurePolicyRule', 'A rule about failed pods.', {
  action: req(1, string, 'FailJob, FailIndex, Ignore or Count.'),
  onExitCodes: opt(2, PodFailurePolicyOnExitCodesRequirement, 'Matches failed pods by exit code.'),
  onPodConditions: opt(3, list(PodFailurePolicyOnPodConditionsPattern, 'atomic'), 'Fits by condition of the pod.'),
});
export interface PodFailurePolicyRule extends Infer<typeof PodFailurePolicyRule> {}

export const PodFailurePolicy = struct(
  'io.k8s.api.batch.v1.PodFailurePolicy',
  'Rules about how failed pods are counted.',
  {
    rules: req(1, list(PodFailurePolicyRule, 'atomic'), 'The rules; the first that fits decides.'),
  },
);
export interface PodFailurePolicy extends Infer<typeof PodFailurePolicy> {}

export const SuccessPolicyRule = struct('io.k8s.api.batch.v1.SuccessPolicyRule', 'A rule for completing early.', {
  succeededCount: opt(2, int32, { pointer: true, doc: 'How many indexes must succeed.' }),
  succeededIndexes: opt(1, string, { pointer: true, doc: 'Indexes that must succeed, such as 0-3,7.' }),
});
export interface SuccessPolicyRule extends Infer<typeof SuccessPolicyRule> {}

export const SuccessPolicy = struct('io.k8s.api.batch.v1.SuccessPolicy', 'Rules for completing a Job early.', {
  rules: req(1, list(SuccessPolicyRule, 'atomic'), 'Rules that make the Job succeed. One that matches is enough.'),
});
export interface SuccessPolicy extends Infer<typeof SuccessPolicy> {}
