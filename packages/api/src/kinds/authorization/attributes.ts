import { boolean, type Infer, list, opt, req, string, struct } from '../../schema.ts';
import { FieldSelectorRequirement, LabelSelectorRequirement } from '../meta/selectors.ts';

export const FieldSelectorAttributes = struct(
  'io.k8s.api.authorization.v1.FieldSelectorAttributes',
  'The field selector of a request.',
  {
    rawSelector: opt(1, string, 'As it was written.'),
    requirements: opt(2, list(FieldSelectorRequirement, 'atomic'), 'As it was understood.'),
  },
);
export interface FieldSelectorAttributes extends Infer<typeof FieldSelectorAttributes> {}

export const LabelSelectorAttributes = struct(
  'io.k8s.api.authorization.v1.LabelSelectorAttributes',
  'The label selector of a request.',
  {
    rawSelector: opt(1, string, 'As it was written.'),
    requirements: opt(2, list(LabelSelectorRequirement, 'atomic'), 'As it was understood.'),
  },
);
export interface LabelSelectorAttributes extends Infer<typeof LabelSelectorAttributes> {}

export const NonResourceAttributes = struct(
  'io.k8s.api.authorization.v1.NonResourceAttributes',
  'A path that is no resource.',
  {
    path: opt(1, string, 'The path.'),
    verb: opt(2, string, 'The HTTP method, in lower case.'),
  },
);
export interface NonResourceAttributes extends Infer<typeof NonResourceAttributes> {}

export const ResourceAttributes = struct(
  'io.k8s.api.authorization.v1.ResourceAttributes',
  'What is to be done with which resource.',
  {
    fieldSelector: opt(8, FieldSelectorAttributes, 'Field selector of the request.'),
    group: opt(3, string, 'Group of the resource; * for all.'),
    labelSelector: opt(9, LabelSelectorAttributes, 'Label selector of the request.'),
    name: opt(7, string, 'Name of the object; all when empty.'),
    namespace: opt(1, string, 'Namespace; all when empty.'),
    resource: opt(5, string, 'The resource; * for all.'),
    subresource: opt(6, string, 'The subresource.'),
    verb: opt(2, string, 'What is to be done; * for all.'),
    version: opt(4, string, 'Version of the resource; * for all.'),
  },
);
export interface ResourceAttributes extends Infer<typeof ResourceAttributes> {}

export const SubjectAccessReviewStatus = struct(
  'io.k8s.api.authorization.v1.SubjectAccessReviewStatus',
  'Whether it is allowed.',
  {
    allowed: req(1, boolean, 'Whether it is.'),
    denied: opt(4, boolean, 'Whether somebody forbids it outright.'),
    evaluationError: opt(3, string, 'What went wrong in finding out.'),
    reason: opt(2, string, 'Why.'),
  },
);
export interface SubjectAccessReviewStatus extends Infer<typeof SubjectAccessReviewStatus> {}
