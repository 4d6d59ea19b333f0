import { ObjectMeta } from '../../meta.ts';
import { type Infer, opt, struct } from '../../schema.ts';
import { PodSpec } from './podSpec.ts';

export const PodTemplateSpec = struct('io.k8s.api.core.v1.PodTemplateSpec', '', {
  metadata: opt(1, ObjectMeta),
  spec: opt(2, PodSpec),
});
export interface PodTemplateSpec extends Infer<typeof PodTemplateSpec> {}
