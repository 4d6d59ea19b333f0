import { type Infer, list, map, opt, string, struct } from '../../schema.ts';

export const UserInfo = struct('io.k8s.api.authentication.v1.UserInfo', '', {
  extra: opt(4, map({ ...list(string), protoMessage: 'strings' })),
  groups: opt(3, list(string, 'atomic')),
  uid: opt(2, string),
  username: opt(1, string),
});
export interface UserInfo extends Infer<typeof UserInfo> {}
