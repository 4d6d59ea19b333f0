import type { Provider, Returned } from '../decisions/login.ts';
import type { Credential } from './credentials.ts';
import { type Attempt, complete, prepare } from './oidc.ts';

/** Where an attempt waits while this window is at the provider. It holds no token, and is removed on return. */
const STORED = 'vireo.login';
/** How a window that was opened for a login tells the page that waits for it. */
const CHANNEL = 'vireo.login';
const WAIT_MS = 10 * 60_000;

interface Stored {
  readonly attempt: Attempt;
  readonly returnTo: string;
}

/** Leaves for the provider in this window: there is nothing to lose yet. */
export async function logInHere(provider: Provider, isAskedAgain: boolean): Promise<void> {
  const { attempt, url } = await prepare(provider, isAskedAgain);
  const returnTo = location.pathname + location.search;
  sessionStorage.setItem(STORED, JSON.stringify({ attempt, returnTo } satisfies Stored));
  location.assign(url);
}

/** Back from the provider in the window that left for it; undefined if this one did not. */
export async function comeBack(returned: Returned): Promise<{ credential: Credential; returnTo: string } | undefined> {
  const text = sessionStorage.getItem(STORED);
  sessionStorage.removeItem(STORED);
  if (text === null) return undefined;
  const { attempt, returnTo } = JSON.parse(text) as Stored;
  return { credential: await complete(attempt, returned), returnTo };
}

/** Logs in in a window of its own, so that the page stays as it is. Rejects when that is given up. */
export async function logInBeside(provider: Provider, signal: AbortSignal): Promise<Credential> {
  const { attempt, url } = await prepare(provider, false);
  const { promise, resolve, reject } = Promise.withResolvers<Returned>();
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener('message', ({ data }: MessageEvent<Returned>) => {
    if (data.state === attempt.state) resolve(data);
  });
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS)]);
  timeout.addEventListener('abort', () => reject(new Error('The login was given up.')));
  try {
    if (!window.open(url, '_blank', 'popup,width=520,height=680'))
      throw new Error('The browser does not let this page open a window. Allow it, and try again.');
    const returned = await promise;
    channel.postMessage({ taken: attempt.state });
    return await complete(attempt, returned);
  } finally {
    channel.close();
  }
}

/** In the window beside: hands the answer to the page that waits. Resolves with whether one has taken it. */
export function handOver(returned: Returned): Promise<boolean> {
  const channel = new BroadcastChannel(CHANNEL);
  return new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), 2_000);
    channel.addEventListener('message', ({ data }: MessageEvent<{ taken?: string }>) => {
      if (data.taken !== returned.state) return;
      clearTimeout(timer);
      resolve(true);
    });
    channel.postMessage(returned);
  }).finally(() => channel.close());
}
