import { type Infer, int32, list, opt, req, string, struct } from '../../schema.ts';

export const PodFailurePolicyOnExitCodesRequirement = struct(
  'io.k8s.api.batch.v1.PodFailurePolicyOnExitCodesRequirement',
  '',
  {
    containerName: opt(1, string),
    operator: req(2, string),
    values: req(3, list(int32, 'set')),
  },
);
export interface PodFailurePolicyOnExitCodesRequirement extends Infer<typeof PodFailurePolicyOnExitCodesRequirement> {}

export const PodFailurePolicyOnPodConditionsPattern = struct(
  'io.k8s.api.batch.v1.PodFailurePolicyOnPodConditionsPattern',
  '',
  {
    status: opt(2, string, { default: 'True' }),
    type: req(1, string),
  },
);
export interface PodFailurePolicyOnPodConditionsPattern extends Infer<typeof PodFailurePolicyOnPodConditionsPattern> {}

export const PodFailurePolicyRule = struct('io.k8s.api.batch.v1.PodFailurePolicyRule', '', {
  action: req(1, string),
  onExitCodes: opt(2, PodFailurePolicyOnExitCodesRequirement),
  onPodConditions: opt(3, list(PodFailurePolicyOnPodConditionsPattern, 'atomic')),
});
export interface PodFailurePolicyRule extends Infer<typeof PodFailurePolicyRule> {}

export const PodFailurePolicy = struct('io.k8s.api.batch.v1.PodFailurePolicy', '', {
  rules: req(1, list(PodFailurePolicyRule, 'atomic')),
});
export interface PodFailurePolicy extends Infer<typeof PodFailurePolicy> {}

export const SuccessPolicyRule = struct('io.k8s.api.batch.v1.SuccessPolicyRule', '', {
  succeededCount: opt(2, int32),
  succeededIndexes: opt(1, string),
});
export interface SuccessPolicyRule extends Infer<typeof SuccessPolicyRule> {}

export const SuccessPolicy = struct('io.k8s.api.batch.v1.SuccessPolicy', '', {
  rules: req(1, list(SuccessPolicyRule, 'atomic')),
});
export interface SuccessPolicy extends Infer<typeof SuccessPolicy> {}
