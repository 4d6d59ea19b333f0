import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type IdentityProvider, startIdentityProvider } from '@vireo/apiserver/testing/identityProvider.ts';
import type { Browser, Cookie, Page } from 'playwright-core';
import { startVireo } from '../../e2e/vireo.ts';
import type { Trial } from '../part.ts';
import { type AttackSite, attack } from './attackPage.ts';
import { type Watched, watch } from './eyes.ts';

/** Who logs in where. */
interface Scene {
  readonly idp: IdentityProvider;
  /** The page of the server. */
  readonly address: string;
  readonly user: Watched;
}

/** Somebody else tries to log the user in as himself, or to use what belongs to a login. */
export async function login(browser: Browser, site: AttackSite, trial: Trial): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'vireo-security-'));
  const idp = await startIdentityProvider();
  try {
    const jwt = {
      issuer: { url: idp.issuer, audiences: ['vireo'], certificateAuthority: idp.caPem },
      claimMappings: { username: { claim: 'sub', prefix: 'oidc:' } },
    };
    const accepted = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthenticationConfiguration', jwt: [jwt] };
    await writeFile(join(home, 'authentication.yaml'), JSON.stringify(accepted));
    await writeFile(join(home, 'dashboard.yaml'), JSON.stringify({ login: [{ issuer: idp.issuer, name: 'Staff' }] }));
    const vireo = await startVireo({ home });
    try {
      const user = await watch(browser);
      const scene = { idp, address: `https://127.0.0.1:${vireo.port}/dashboard/`, user };
      await forgedReturns(scene, trial);
      await realLogin(scene, trial);
      await fromElsewhere(scene, site, trial);
      await user.close();
    } finally {
      await vireo.stop();
    }
  } finally {
    await idp.close();
    await rm(home, { recursive: true, force: true });
  }
}

/** Links that lead back from the provider, although the user has asked for no such login. */
async function forgedReturns({ idp, address, user: { page } }: Scene, trial: Trial): Promise<void> {
  const isIn = async (): Promise<boolean> => {
    const refusal = page.getByText('Nobody waits for this login').or(page.getByLabel('Token'));
    await refusal.or(page.locator('.bar-user')).first().waitFor();
    return (await page.locator('.bar-user').count()) > 0;
  };
  const returning = (code: string, state: string): string => `${address}login?${new URLSearchParams({ code, state })}`;
  const begin = async (): Promise<string> => {
    await page.goto(address);
    // The provider is not reached: the user is still there when the forged answer comes.
    const asked = page.waitForRequest((request) => request.url().startsWith(idp.issuer));
    await page.route(`${idp.issuer}/**`, (route) => route.abort());
    await page.getByRole('button', { name: 'Log in with Staff' }).click();
    const state = new URL((await asked).url()).searchParams.get('state') ?? '';
    await page.unroute(`${idp.issuer}/**`);
    return state;
  };
  await page.goto(address);
  await page.goto(returning(await codeOfAttacker(idp, address), 'of-the-attacker'));
  trial.check((await isIn()) ? 'a link logs the user in as the attacker, out of nothing' : undefined);
  await begin();
  await page.goto(returning(await codeOfAttacker(idp, address), 'of-the-attacker'));
  trial.check((await isIn()) ? 'a link with another state logs the user in as the attacker' : undefined);
  const state = await begin();
  trial.check(/^[\w-]{43}$/.test(state) ? undefined : `the state is not 256 random bits: ${state}`);
  await page.goto(returning(await codeOfAttacker(idp, address), state));
  trial.check((await isIn()) ? 'a code of the attacker, made with another verifier, logs the user in' : undefined);
  const again = await begin();
  const idToken = await idp.token({ sub: 'eve', nonce: 'of-another-login' });
  await page.route('**/dashboard/oidc/token', (route) => route.fulfill({ json: { idToken } }));
  await page.goto(returning('any', again));
  trial.check((await isIn()) ? 'a token of another login, with another nonce, is used' : undefined);
  await page.unroute('**/dashboard/oidc/token');
  const stored = String(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])'));
  trial.check(stored.includes(again) ? 'a login that has failed can be continued' : undefined);
}

/** A code that the provider has given the attacker. */
async function codeOfAttacker(idp: IdentityProvider, address: string): Promise<string> {
  const query = new URLSearchParams({
    client_id: 'vireo',
    response_type: 'code',
    redirect_uri: `${address}login`,
    state: 'of-the-attacker',
    nonce: 'of-the-attacker',
    code_challenge: createHash('sha256').update(randomBytes(32).toString('base64url')).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  get(`${idp.issuer}/authorize?${query}`, { ca: idp.caPem }, (response) => {
    response.resume();
    resolve(new URL(response.headers.location ?? 'https://nowhere').searchParams.get('code') ?? '');
  }).on('error', reject);
  const code = await promise;
  if (code === '') throw new Error('the attack proves nothing: the provider has given the attacker no code');
  return code;
}

/** A login that the user wants works, so that the others were refused for the right reason; and leaves nothing behind. */
async function realLogin({ idp, address, user }: Scene, trial: Trial): Promise<void> {
  const { page } = user;
  await page.goto(address);
  await page.getByRole('button', { name: 'Log in with Staff' }).click();
  const name = await page
    .locator('.bar-user')
    .textContent({ timeout: 30_000 })
    .catch(() => null);
  trial.check(name === 'oidc:ada' ? undefined : `the attack proves nothing: the user cannot log in either (${name})`);
  for (const problem of cookieProblems(await page.context().cookies(), [])) trial.check(problem);
  const own = [new URL(address).origin, idp.issuer];
  const others = user.origins().filter((origin) => !own.includes(origin));
  trial.check(others.length === 0 ? undefined : `logging in has asked other servers: ${others.join(', ')}`);
  for (const problem of await user.problems()) trial.check(`logging in: ${problem}`);
}

/** What exchanges codes for tokens is for the page alone, and only for the providers of the server. */
async function fromElsewhere({ address, user: { page } }: Scene, site: AttackSite, trial: Trial): Promise<void> {
  const { origin } = new URL(address);
  const issuer = `http://127.0.0.1:${site.port}`;
  site.visits.length = 0;
  for (const [label, request] of Object.entries(requestsFor(issuer))) {
    const status = await statusOf(page, request);
    trial.check(status === 404 ? undefined : `${label} of a provider that nobody has listed: ${status}`);
  }
  trial.check(site.visits.length === 0 ? undefined : 'the server can be sent to any address as a provider');
  await page.goto(`http://localhost:${site.port}/`);
  const token = '/dashboard/oidc/token';
  const body = JSON.stringify({ issuer, refreshToken: 'x' });
  const aim = { origin, readPath: '/dashboard/session', writePath: token, body, streams: [] };
  for (const problem of await attack(page, aim)) trial.check(`another site, on logins: ${problem}`);
  trial.check(undefined);
}

const requestsFor = (issuer: string): Readonly<Record<string, string>> => ({
  'the description': `fetch('/dashboard/oidc/provider?issuer=' + encodeURIComponent('${issuer}'), { headers: { 'x-vireo-dashboard': '1' } })`,
  'the exchange': `fetch('/dashboard/oidc/token', { method: 'POST', headers: { 'x-vireo-dashboard': '1', 'content-type': 'application/json' }, body: JSON.stringify({ issuer: '${issuer}', refreshToken: 'x' }) })`,
});

const statusOf = (page: Page, request: string): Promise<number> =>
  page.evaluate<number>(`${request}.then((response) => response.status)`);

/** What is wrong with the cookies of a page that should have those of these names alone. */
export function cookieProblems(cookies: readonly Cookie[], names: readonly string[]): string[] {
  const found = cookies.map(({ name }) => name).sort();
  const isAsWanted = found.join() === [...names].sort().join();
  return [
    ...(isAsWanted ? [] : [`the page has the cookies ${found.join(', ') || '(none)'}`]),
    ...cookies.flatMap(({ name, httpOnly, sameSite, expires }) => [
      ...(httpOnly ? [] : [`scripts can read the cookie ${name}`]),
      ...(sameSite === 'Strict' ? [] : [`the cookie ${name} is sent from other sites (${sameSite})`]),
      ...(expires === -1 ? [] : [`the cookie ${name} outlives the browser`]),
    ]),
  ];
}
