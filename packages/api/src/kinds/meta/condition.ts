import { type Infer, int64, opt, req, string, struct, time } from '../../schema.ts';

export const Condition = struct('io.k8s.apimachinery.pkg.apis.meta.v1.Condition', '', {
  lastTransitionTime: req(4, time),
  message: req(6, string),
  observedGeneration: opt(3, int64),
  reason: req(5, string),
  status: req(2, string),
  type: req(1, string),
});
export interface Condition extends Infer<typeof Condition> {}
