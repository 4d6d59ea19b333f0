import { ListMeta } from '../../meta.ts';
import { type Infer, int32, list, opt, string, struct } from '../../schema.ts';

export const StatusBodyCause = struct('io.k8s.apimachinery.pkg.apis.meta.v1.StatusCause', '', {
  field: opt(3, string),
  message: opt(2, string),
  reason: opt(1, string),
});
export interface StatusBodyCause extends Infer<typeof StatusBodyCause> {}

export const StatusBodyDetails = struct('io.k8s.apimachinery.pkg.apis.meta.v1.StatusDetails', '', {
  causes: opt(4, list(StatusBodyCause, 'atomic')),
  group: opt(2, string),
  kind: opt(3, string),
  name: opt(1, string),
  retryAfterSeconds: opt(5, int32),
  uid: opt(6, string),
});
export interface StatusBodyDetails extends Infer<typeof StatusBodyDetails> {}

export const StatusBodySchema = struct('io.k8s.apimachinery.pkg.apis.meta.v1.Status', '', {
  apiVersion: opt(undefined, string),
  code: opt(6, int32),
  details: opt(5, StatusBodyDetails),
  kind: opt(undefined, string),
  message: opt(3, string),
  metadata: opt(1, ListMeta),
  reason: opt(4, string),
  status: opt(2, string),
});
export interface StatusBody extends Infer<typeof StatusBodySchema> {}
