import { certificateUser, type Provider, type UserInfo } from '../decisions/login.ts';
import { Api } from './api.ts';
import { askFirst } from './askFirst.ts';
import { directCarrier, localCarrier, OWN_HEADER } from './carrier.ts';
import { type Credential, Credentials } from './credentials.ts';
import { Features } from './features.ts';
import { refusedFrom } from './refused.ts';
import { Rights } from './rights.ts';

/** What whoever serves the page says about itself. */
export type Host =
  | {
      readonly mode: 'token';
      readonly providers?: readonly Provider[];
      /** Whether the browser has shown a certificate that the server knows. */
      readonly hasCertificate?: boolean;
    }
  | { readonly mode: 'local'; readonly isOpen: false }
  | { readonly mode: 'local'; readonly isOpen: true; readonly server: string; readonly namespace: string };

/** A user who is logged in. */
export interface Session {
  readonly api: Api;
  readonly rights: Rights;
  readonly features: Features;
  readonly credentials: Credentials;
  readonly user: string;
  readonly mode: Host['mode'];
  /** Where the cluster is; undefined: where the page comes from. */
  readonly server: string | undefined;
  /** The namespace to begin with; undefined: all of them. */
  readonly namespace: string | undefined;
}

const SESSION_PATH = '/dashboard/session';

export async function askHost(): Promise<Host> {
  const response = await fetch(SESSION_PATH, { headers: { [OWN_HEADER]: '1' } });
  if (!response.ok) throw refusedFrom(response.status, await response.text());
  return (await response.json()) as Host;
}

/** Exchanges the code of the address that was opened; it counts once. */
export async function exchangeCode(code: string): Promise<void> {
  const response = await fetch(SESSION_PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/json', [OWN_HEADER]: '1' },
    body: JSON.stringify({ code }),
  });
  if (!response.ok) throw refusedFrom(response.status, await response.text());
}

/** Ends the session at `vireo dashboard`. */
export const endLocalSession = (): Promise<unknown> =>
  fetch(SESSION_PATH, { method: 'DELETE', headers: { [OWN_HEADER]: '1' } });

/** The code in an address such as `…/dashboard/#code=…`, and the address without it. */
export function codeIn(hash: string): string | undefined {
  return new URLSearchParams(hash.replace(/^#/, '')).get('code') ?? undefined;
}

/** Logs in with a token or a certificate; rejects with the server's words if it takes it for nobody's. */
export const logIn = (credential: Credential): Promise<Session> => {
  const credentials = new Credentials(credential);
  return begin(new Api(directCarrier(credentials)), credentials, { mode: 'token' });
};

/** Uses the identity of the kubeconfig that `vireo dashboard` was started with. */
export const useLocal = (host: Host & { mode: 'local'; isOpen: true }): Promise<Session> => {
  const credentials = new Credentials({ kind: 'local' });
  return begin(new Api(localCarrier(credentials)), credentials, host);
};

/** Whose certificate the browser shows; undefined: none. */
export async function askCertificateUser(): Promise<string | undefined> {
  const api = new Api(directCarrier(new Credentials({ kind: 'certificate' })));
  return certificateUser(await whoAmI(api).catch(() => ({})));
}

/** Who the server takes a credential for, before it takes the place of another. */
export async function userOf(credential: Credential): Promise<string> {
  const { username = UNKNOWN } = await whoAmI(new Api(directCarrier(new Credentials(credential))));
  return username;
}

const UNKNOWN = 'unknown user';

async function begin(api: Api, credentials: Credentials, host: Host): Promise<Session> {
  const rights = new Rights(api);
  const { username: user = UNKNOWN } = await whoAmI(api);
  const mayListAll = await rights
    .ask({ verb: 'list', group: 'kubevirt.io', resource: 'virtualmachines' }, '')
    .catch(() => false);
  // Who has a role in some namespaces may lack a part of it there, too.
  api.beforeList = (path) => askFirst(rights, path, !mayListAll);
  const own = host.mode === 'local' && host.isOpen ? host : undefined;
  credentials.open();
  return {
    api,
    rights,
    features: new Features(api),
    credentials,
    user,
    mode: host.mode,
    server: own?.server,
    namespace: mayListAll ? undefined : (own?.namespace ?? namespaceOf(user) ?? 'default'),
  };
}

async function whoAmI(api: Api): Promise<UserInfo> {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  try {
    const { status } = await api.request<{ status?: { userInfo?: UserInfo } }>('POST', path, review);
    return status?.userInfo ?? {};
  } catch (error) {
    // Servers before Kubernetes 1.28 do not say; who is nobody is told so by 401.
    if (error instanceof Error && 'code' in error && (error.code === 404 || error.code === 403)) return {};
    throw error;
  }
}

/** A ServiceAccount is mostly allowed something where it lives. */
const namespaceOf = (user: string): string | undefined => /^system:serviceaccount:([^:]+):/.exec(user)?.[1];
