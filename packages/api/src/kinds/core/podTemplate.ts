import { ObjectMeta } from '../../meta.ts';
import { type Infer, opt, struct } from '../../schema.ts';
import { PodSpec } from './podSpec.ts';

export const PodTemplateSpec = struct('io.k8s.api.core.v1.PodTemplateSpec', 'Template for pods.', {
  metadata: opt(1, ObjectMeta, 'Labels and annotations for the pods.'),
  spec: opt(2, PodSpec, 'Spec of the created pods.'),
});
export interface PodTemplateSpec extends Infer<typeof PodTemplateSpec> {}
