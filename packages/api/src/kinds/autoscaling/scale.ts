import { objectFields } from '../../meta.ts';
import { type Infer, int32, opt, req, string, struct } from '../../schema.ts';

export const ScaleSpec = struct('io.k8s.api.autoscaling.v1.ScaleSpec', 'Desired number of replicas.', {
  replicas: opt(1, int32, 'Desired number of replicas.'),
});
export interface ScaleSpec extends Infer<typeof ScaleSpec> {}

export const ScaleStatus = struct('io.k8s.api.autoscaling.v1.ScaleStatus', 'Current number of replicas.', {
  replicas: req(1, int32, 'Current number of replicas.'),
  selector: opt(2, string, 'Label selector of the pods, as text.'),
});
export interface ScaleStatus extends Infer<typeof ScaleStatus> {}

export const ScaleSchema = struct(
  'io.k8s.api.autoscaling.v1.Scale',
  'Desired and current number of replicas of an object.',
  {
    ...objectFields,
    spec: opt(2, ScaleSpec, 'Desired number of replicas.'),
    status: opt(3, ScaleStatus, 'Observed state of the Scale. The system writes it.'),
  },
);
export interface Scale extends Infer<typeof ScaleSchema> {}
