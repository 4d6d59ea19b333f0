import type { UserInfo } from '@vireo/kube';
import {
  type Authorizer,
  type Decision,
  type RbacAuthorizer,
  SUPERUSER_GROUP,
  type UserRules,
} from '../rbac/authorize.ts';
import type { Attributes } from '../rbac/match.ts';
import type { NodeAuthorizer } from './authorizer.ts';
import { nodeNameOf } from './identity.ts';

/** The Node authorizer, then RBAC: a request is allowed if either allows it. */
export class UnionAuthorizer implements Authorizer {
  readonly #nodes: NodeAuthorizer;
  readonly #rbac: RbacAuthorizer;

  constructor(nodes: NodeAuthorizer, rbac: RbacAuthorizer) {
    this.#nodes = nodes;
    this.#rbac = rbac;
  }

  authorize(attributes: Attributes): Decision {
    if (attributes.user.groups.includes(SUPERUSER_GROUP)) return this.#rbac.authorize(attributes);
    const own = this.#nodes.authorize(attributes);
    if (own?.allowed) return own;
    const decision = this.#rbac.authorize(attributes);
    if (decision.allowed || !own?.reason) return decision;
    return { allowed: false, reason: [own.reason, decision.reason].filter((reason) => reason !== '').join('\n') };
  }

  rulesFor(user: UserInfo, namespace: string): UserRules {
    const { rules, problems } = this.#rbac.rulesFor(user, namespace);
    // What a node may do depends on its pods, which no list of rules can express.
    const incomplete = nodeNameOf(user) === undefined ? [] : ['node authorizer does not support user rule resolution'];
    return { rules, problems: [...incomplete, ...problems] };
  }
}
