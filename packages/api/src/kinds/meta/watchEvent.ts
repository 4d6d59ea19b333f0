import { type Infer, req, string, struct } from '../../schema.ts';
import { RawExtension } from './rawExtension.ts';

export const WatchEventSchema = struct('io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent', '', {
  object: req(2, RawExtension),
  type: req(1, string),
});
export interface WatchEvent extends Infer<typeof WatchEventSchema> {}
