import { type Infer, req, string, struct } from '../../schema.ts';
import { RawExtension } from './rawExtension.ts';

export const WatchEventSchema = struct('io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent', 'An event of a watch.', {
  object: req(2, RawExtension, 'The object after the change; for a deletion, before it.'),
  type: req(1, string, 'ADDED, MODIFIED, DELETED, BOOKMARK or ERROR.'),
});
export interface WatchEvent extends Infer<typeof WatchEventSchema> {}
