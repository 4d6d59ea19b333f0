import { ObjectMeta } from '../../meta.ts';
import { type Infer, opt, struct } from '../../schema.ts';
import { PodSpec } from './podSpec.ts';

export const PodTemplateSpec = struct('io.k8s.api.core.v1.PodTemplateSpec', 'What pods are made from.', {
  metadata: opt(1, ObjectMeta, 'Labels and annotations for the pods.'),
  spec: opt(2, PodSpec, 'What the pods are made of.'),
});
export interface PodTemplateSpec extends Infer<typeof PodTemplateSpec> {}
