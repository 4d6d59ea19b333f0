import { boolean, type Infer, list, opt, req, string, struct } from '../../schema.ts';
import { FieldSelectorRequirement, LabelSelectorRequirement } from '../meta/selectors.ts';

export const FieldSelectorAttributes = struct(
  'io.k8s.api.authorization.v1.FieldSelectorAttributes',
  'Field selector of a request.',
  {
    rawSelector: opt(1, string, 'Selector as the client wrote it.'),
    requirements: opt(2, list(FieldSelectorRequirement, 'atomic'), 'Selector as a list of requirements.'),
  },
);
export interface FieldSelectorAttributes extends Infer<typeof FieldSelectorAttributes> {}

export const LabelSelectorAttributes = struct(
  'io.k8s.api.authorization.v1.LabelSelectorAttributes',
  'Label selector of a request.',
  {
    rawSelector: opt(1, string, 'Selector as the client wrote it.'),
    requirements: opt(2, list(LabelSelectorRequirement, 'atomic'), 'Selector as a list of requirements.'),
  },
);
export interface LabelSelectorAttributes extends Infer<typeof LabelSelectorAttributes> {}

export const NonResourceAttributes = struct(
  'io.k8s.api.authorization.v1.NonResourceAttributes',
  'A request for a path that is not a resource.',
  {
    path: opt(1, string, 'Path of the request.'),
    verb: opt(2, string, 'The HTTP method, in lower case.'),
  },
);
export interface NonResourceAttributes extends Infer<typeof NonResourceAttributes> {}

export const ResourceAttributes = struct(
  'io.k8s.api.authorization.v1.ResourceAttributes',
  'A request for a resource.',
  {
    fieldSelector: opt(8, FieldSelectorAttributes, 'Field selector of the request.'),
    group: opt(3, string, 'Group of the resource; * for all.'),
    labelSelector: opt(9, LabelSelectorAttributes, 'Label selector of the request.'),
    name: opt(7, string, 'Name of the object. Empty means all.'),
    namespace: opt(1, string, 'Namespace of the request. Empty means all namespaces.'),
    resource: opt(5, string, 'The resource; * for all.'),
    subresource: opt(6, string, 'Name of the subresource, if any.'),
    verb: opt(2, string, 'Verb of the request, such as get or create; * means all.'),
    version: opt(4, string, 'Version of the resource; * for all.'),
  },
);
export interface ResourceAttributes extends Infer<typeof ResourceAttributes> {}

export const SubjectAccessReviewStatus = struct(
  'io.k8s.api.authorization.v1.SubjectAccessReviewStatus',
  'Result of the access check.',
  {
    allowed: req(1, boolean, 'Whether the request is allowed.'),
    denied: opt(4, boolean, 'Whether the action is explicitly denied.'),
    evaluationError: opt(3, string, 'Error during the evaluation. The result may be incomplete.'),
    reason: opt(2, string, 'Reason for the decision.'),
  },
);
export interface SubjectAccessReviewStatus extends Infer<typeof SubjectAccessReviewStatus> {}
