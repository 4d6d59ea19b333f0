import { type Infer, list, map, opt, string, struct } from '../../schema.ts';

export const UserInfo = struct('io.k8s.api.authentication.v1.UserInfo', 'Identity of a user.', {
  extra: opt(4, map({ ...list(string), protoMessage: 'strings' }), 'Further attributes of the user.'),
  groups: opt(3, list(string, 'atomic'), "Names of the user's groups."),
  uid: opt(2, string, 'Unique ID of the user.'),
  username: opt(1, string, 'Name of the user.'),
});
export interface UserInfo extends Infer<typeof UserInfo> {}
