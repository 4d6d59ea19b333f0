import { objectFields } from '../../meta.ts';
import { type Infer, int32, opt, req, string, struct } from '../../schema.ts';

export const ScaleSpec = struct('io.k8s.api.autoscaling.v1.ScaleSpec', 'How many replicas are wanted.', {
  replicas: opt(1, int32, 'How many.'),
});
export interface ScaleSpec extends Infer<typeof ScaleSpec> {}

export const ScaleStatus = struct('io.k8s.api.autoscaling.v1.ScaleStatus', 'How many replicas there are.', {
  replicas: req(1, int32, 'How many.'),
  selector: opt(2, string, 'Label selector of the pods, as text.'),
});
export interface ScaleStatus extends Infer<typeof ScaleStatus> {}

export const ScaleSchema = struct('io.k8s.api.autoscaling.v1.Scale', 'How many replicas an object wants and has.', {
  ...objectFields,
  spec: opt(2, ScaleSpec, 'Desired state of the Scale.'),
  status: opt(3, ScaleStatus, 'Observed state of the Scale. The system writes it.'),
});
export interface Scale extends Infer<typeof ScaleSchema> {}
