import { serviceAccountGroups, serviceAccountUsername } from '../../auth/serviceAccount.ts';
import { type Answer, authorizerValue, type CelValue, type Question, requestResourceValue } from '../../cel/index.ts';
import type { Authorizer } from '../../rbac/authorize.ts';
import type { AdmissionRequest } from '../admission.ts';

/** What expressions ask about permissions, answered for the user of the request. RBAC does not look at selectors. */
const ask =
  (authorizer: Authorizer, { user }: AdmissionRequest) =>
  ({ serviceAccount, fieldSelector: _, labelSelector: __, ...question }: Question): Answer =>
    authorizer.authorize({ ...question, user: serviceAccount ? accountUser(serviceAccount) : user });

const accountUser = ({ namespace, name }: { namespace: string; name: string }) => ({
  username: serviceAccountUsername(namespace, name),
  groups: serviceAccountGroups(namespace),
});

/** The value of `authorizer`. */
export const authorizerOf = (authorizer: Authorizer, request: AdmissionRequest): CelValue =>
  authorizerValue(ask(authorizer, request));

/** The value of `authorizer.requestResource`. */
export const requestResourceOf = (authorizer: Authorizer, request: AdmissionRequest): CelValue =>
  requestResourceValue(ask(authorizer, request), {
    group: request.kind.group,
    resource: request.kind.plural,
    subresource: request.subresource ?? '',
    namespace: request.namespace ?? '',
    name: request.name,
  });
