import { tokenOf } from '@vireo/extension';
import { Client, type HttpConfig, httpTransport, staticCredentials, type Transport, type UserInfo } from '@vireo/kube';

const MAX_USERS = 32;

/**
 * Clients with the rights of users: by the tokens that they have come with, otherwise by impersonation. The last few are
 * kept, with their connections.
 */
export function usersBehind(config: HttpConfig): { asUser(user: UserInfo): Client; close(): Promise<void> } {
  const known = new Map<string, { readonly transport: Transport; readonly client: Client }>();
  return {
    asUser: (user) => {
      const key = JSON.stringify([user, tokenOf(user)]);
      const found = known.get(key) ?? clientOf(config, user);
      known.delete(key);
      known.set(key, found);
      if (known.size > MAX_USERS) forgetOldest();
      return found.client;
    },
    close: async () => {
      await Promise.all([...known.values()].map(({ transport }) => transport.close()));
    },
  };

  function forgetOldest(): void {
    for (const [key, { transport }] of known) {
      known.delete(key);
      void transport.close();
      return;
    }
  }
}

function clientOf(config: HttpConfig, user: UserInfo) {
  const { username, uid, groups, extra } = user;
  const token = tokenOf(user);
  const impersonate = { user: username, groups, ...(uid && { uid }), ...(extra && { extra }) };
  const as = token ? { credentials: staticCredentials({ token }) } : { impersonate };
  const transport = httpTransport({ ...config, ...as });
  return { transport, client: new Client(transport) };
}
