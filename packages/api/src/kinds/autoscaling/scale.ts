import { objectFields } from '../../meta.ts';
import { type Infer, int32, opt, req, string, struct } from '../../schema.ts';

export const ScaleSpec = struct('io.k8s.api.autoscaling.v1.ScaleSpec', '', {
  replicas: opt(1, int32),
});
export interface ScaleSpec extends Infer<typeof ScaleSpec> {}

export const ScaleStatus = struct('io.k8s.api.autoscaling.v1.ScaleStatus', '', {
  replicas: req(1, int32),
  selector: opt(2, string),
});
export interface ScaleStatus extends Infer<typeof ScaleStatus> {}

export const ScaleSchema = struct('io.k8s.api.autoscaling.v1.Scale', '', {
  ...objectFields,
  spec: opt(2, ScaleSpec),
  status: opt(3, ScaleStatus),
});
export interface Scale extends Infer<typeof ScaleSchema> {}
