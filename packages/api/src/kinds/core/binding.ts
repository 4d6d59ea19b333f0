import { objectFields } from '../../meta.ts';
import { type Infer, req, struct } from '../../schema.ts';
import { ObjectReference } from './references.ts';

export const BindingSchema = struct('io.k8s.api.core.v1.Binding', 'Assigns a pod to a node.', {
  ...objectFields,
  target: req(2, ObjectReference, 'The node that the pod is assigned to.'),
});
export interface Binding extends Infer<typeof BindingSchema> {}
