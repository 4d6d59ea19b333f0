import { ListMeta } from '../../meta.ts';
import { type Infer, int32, list, opt, string, struct } from '../../schema.ts';

export const StatusBodyCause = struct('io.k8s.apimachinery.pkg.apis.meta.v1.StatusCause', 'One cause of a failure.', {
  field: opt(3, string, 'Path of the field that caused it.'),
  message: opt(2, string, 'Human-readable description of the cause.'),
  reason: opt(1, string, 'Reason of the cause as one CamelCase word.'),
});
export interface StatusBodyCause extends Infer<typeof StatusBodyCause> {}

export const StatusBodyDetails = struct('io.k8s.apimachinery.pkg.apis.meta.v1.StatusDetails', 'Details of a failure.', {
  causes: opt(4, list(StatusBodyCause, 'atomic'), 'Causes of the failure, one for each field or problem.'),
  group: opt(2, string, 'API group of the object.'),
  kind: opt(3, string, 'Kind or resource of the object.'),
  name: opt(1, string, 'Name of the object.'),
  retryAfterSeconds: opt(5, int32, 'Seconds to wait before a retry.'),
  uid: opt(6, string, 'UID of the object.'),
});
export interface StatusBodyDetails extends Infer<typeof StatusBodyDetails> {}

export const StatusBodySchema = struct(
  'io.k8s.apimachinery.pkg.apis.meta.v1.Status',
  'Response to a request that returns no object, such as a failure.',
  {
    apiVersion: opt(undefined, string, 'Group and version of the object.'),
    code: opt(6, int32, 'HTTP status code of the response.'),
    details: opt(5, StatusBodyDetails, 'Object that the failure concerns, and its causes.'),
    kind: opt(undefined, string, 'Kind of the object.'),
    message: opt(3, string, 'Human-readable description of the result.'),
    metadata: opt(1, ListMeta, 'Standard metadata of the response.'),
    reason: opt(4, string, 'Reason for the failure as one CamelCase word.'),
    status: opt(2, string, 'Result of the request: Success or Failure.'),
  },
);
export interface StatusBody extends Infer<typeof StatusBodySchema> {}
