import { ListMeta } from '../../meta.ts';
import { type Infer, int32, list, opt, string, struct } from '../../schema.ts';

export const StatusBodyCause = struct('io.k8s.apimachinery.pkg.apis.meta.v1.StatusCause', 'One thing that is wrong.', {
  field: opt(3, string, 'Path of the field.'),
  message: opt(2, string, 'Details, for people.'),
  reason: opt(1, string, 'Why, in one CamelCase word.'),
});
export interface StatusBodyCause extends Infer<typeof StatusBodyCause> {}

export const StatusBodyDetails = struct(
  'io.k8s.apimachinery.pkg.apis.meta.v1.StatusDetails',
  'What a refusal is about.',
  {
    causes: opt(4, list(StatusBodyCause, 'atomic'), 'Each thing that is wrong.'),
    group: opt(2, string, 'Group of the object.'),
    kind: opt(3, string, 'Kind or resource of the object.'),
    name: opt(1, string, 'Name of the object.'),
    retryAfterSeconds: opt(5, int32, 'When to try again.'),
    uid: opt(6, string, 'UID of the object.'),
  },
);
export interface StatusBodyDetails extends Infer<typeof StatusBodyDetails> {}

export const StatusBodySchema = struct(
  'io.k8s.apimachinery.pkg.apis.meta.v1.Status',
  'An answer that is not an object: a refusal, or a success without more.',
  {
    apiVersion: opt(undefined, string, 'Group and version of the object.'),
    code: opt(6, int32, 'HTTP status code.'),
    details: opt(5, StatusBodyDetails, 'What the refusal is about.'),
    kind: opt(undefined, string, 'Kind of the object.'),
    message: opt(3, string, 'Details, for people.'),
    metadata: opt(1, ListMeta),
    reason: opt(4, string, 'Why, in one CamelCase word.'),
    status: opt(2, string, 'Success or Failure.'),
  },
);
export interface StatusBody extends Infer<typeof StatusBodySchema> {}
