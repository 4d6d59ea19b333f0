import type { UserInfo } from '@vireo/kube';

/** The group that makes a user a node. */
const NODES_GROUP = 'system:nodes';
const PREFIX = 'system:node:';

/** The node that a user is; '' where it is one but nobody can tell which, undefined where it is none. */
export const nodeNameOf = ({ username, groups }: UserInfo): string | undefined =>
  username.startsWith(PREFIX) && groups.includes(NODES_GROUP) ? username.slice(PREFIX.length) : undefined;
