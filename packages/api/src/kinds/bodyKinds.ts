import type { Kind } from '../kind.ts';
import { TokenRequestSchema } from './authentication/tokenRequest.ts';
import { ScaleSchema } from './autoscaling/scale.ts';
import { BindingSchema } from './core/binding.ts';
import { DeleteOptionsSchema } from './meta/deleteOptions.ts';
import { APIGroupListSchema, APIGroupSchema, APIResourceListSchema } from './meta/discovery.ts';
import {
  CreateOptionsSchema,
  GetOptionsSchema,
  ListOptionsSchema,
  PatchOptionsSchema,
  UpdateOptionsSchema,
} from './meta/options.ts';
import { StatusBodySchema } from './meta/status.ts';
import { WatchEventSchema } from './meta/watchEvent.ts';
import { EvictionSchema } from './policy/eviction.ts';

/** A kind that only travels in requests and answers: it has a schema, but no resource of its own. */
export type BodyKind = Pick<Kind<unknown>, 'group' | 'version' | 'kind' | 'schema'>;

const body = (group: string, version: string, kind: string, schema: BodyKind['schema']): BodyKind => ({
  group,
  version,
  kind,
  schema,
});

/** The kinds of every group and version: clients name them after the group of the resource that they ask for. */
export const sharedKinds: readonly BodyKind[] = [
  body('', 'v1', 'CreateOptions', CreateOptionsSchema),
  body('', 'v1', 'DeleteOptions', DeleteOptionsSchema),
  body('', 'v1', 'GetOptions', GetOptionsSchema),
  body('', 'v1', 'ListOptions', ListOptionsSchema),
  body('', 'v1', 'PatchOptions', PatchOptionsSchema),
  body('', 'v1', 'Status', StatusBodySchema),
  body('', 'v1', 'UpdateOptions', UpdateOptionsSchema),
  body('', 'v1', 'WatchEvent', WatchEventSchema),
];

/** What may stand in a body beside the kinds that have a resource. */
export const bodyKinds: readonly BodyKind[] = [
  ...sharedKinds,
  body('', 'v1', 'APIGroup', APIGroupSchema),
  body('', 'v1', 'APIGroupList', APIGroupListSchema),
  body('', 'v1', 'APIResourceList', APIResourceListSchema),
  body('', 'v1', 'Binding', BindingSchema),
  body('authentication.k8s.io', 'v1', 'TokenRequest', TokenRequestSchema),
  body('autoscaling', 'v1', 'Scale', ScaleSchema),
  body('policy', 'v1', 'Eviction', EvictionSchema),
];
