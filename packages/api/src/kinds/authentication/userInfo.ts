import { type Infer, list, map, opt, string, struct } from '../../schema.ts';

export const UserInfo = struct('io.k8s.api.authentication.v1.UserInfo', 'Who somebody is.', {
  extra: opt(4, map({ ...list(string), protoMessage: 'strings' }), 'Further facts.'),
  groups: opt(3, list(string, 'atomic'), 'Groups.'),
  uid: opt(2, string, 'UID.'),
  username: opt(1, string, 'Name.'),
});
export interface UserInfo extends Infer<typeof UserInfo> {}
