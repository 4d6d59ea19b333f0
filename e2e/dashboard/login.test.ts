import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { type IdentityProvider, startIdentityProvider } from '@vireo/apiserver/testing/identityProvider.ts';
import { startDashboard } from '@vireo/cli/commands/dashboard/server.ts';
import { loadPage } from '@vireo/dashboard';
import { loadKubeconfig } from '@vireo/kube';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Kubectl, kubectlFor } from '../kubectl.ts';
import { startVireo, temporaryHome, type Vireo } from '../vireo.ts';
import { type Browser, launchBrowser, visit } from './browser.ts';
import { look } from './screenshots.ts';

const SECRET = 'of-the-client';
let home: string;
let remove: () => Promise<void>;
let idp: IdentityProvider;
let vireo: Vireo;
let kubectl: Kubectl;
let browser: Browser;
let address: string;

beforeAll(async () => {
  ({ home, remove } = await temporaryHome());
  idp = await startIdentityProvider({ clientSecret: SECRET });
  const jwt = {
    issuer: { url: idp.issuer, audiences: ['vireo'], certificateAuthority: idp.caPem },
    claimMappings: { username: { claim: 'sub', prefix: 'oidc:' }, groups: { claim: 'groups', prefix: 'oidc:' } },
  };
  const configuration = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthenticationConfiguration', jwt: [jwt] };
  const login = [{ issuer: idp.issuer, name: 'Example staff', clientSecretFile: 'secret' }];
  await writeFile(join(home, 'authentication.yaml'), JSON.stringify(configuration));
  await writeFile(join(home, 'dashboard.yaml'), JSON.stringify({ login }));
  await writeFile(join(home, 'secret'), SECRET, { mode: 0o600 });
  vireo = await startVireo({ home });
  kubectl = kubectlFor(vireo.kubeconfig, join(home, 'kubectl-cache'));
  await kubectl.do('create clusterrolebinding staff --clusterrole=view --group=oidc:developers');
  await kubectl.do('create serviceaccount jane');
  await kubectl.do('create rolebinding jane --clusterrole=view --serviceaccount=default:jane');
  address = `https://127.0.0.1:${vireo.port}/dashboard/`;
  browser = await launchBrowser();
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await Promise.all([vireo?.stop(), idp?.close()]);
  await remove?.();
});
afterEach(() => {
  idp.tokenSeconds = 3600;
  idp.pages.isRefreshing = true;
});

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const user = (page: Page): Promise<string | null> => page.locator('.bar-user').textContent();
const dialog = (page: Page) => page.getByRole('dialog');
const stored = (page: Page): Promise<unknown> =>
  page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');

/** What axe finds that keeps somebody out. */
async function seriousProblems(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

async function logInWithProvider(): Promise<Page> {
  const page = await browser.open(address);
  await button(page, 'Log in with Example staff').click();
  await page.locator('.bar-user').waitFor();
  return page;
}

describe('an identity provider', () => {
  it('lets a user in, who comes back to the address that was opened', async () => {
    const page = await browser.open(`${address}nodes?x=1`);
    await button(page, 'Log in with Example staff').waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    await look(page, 'login-provider');
    await button(page, 'Log in with Example staff').click();
    await page.locator('.bar-user').waitFor();
    expect(await user(page)).toBe('oidc:ada');
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/dashboard/nodes?x=1');
    const asked = idp.pages.authorizations.at(-1);
    expect(asked?.get('code_challenge_method')).toBe('S256');
    for (const name of ['state', 'nonce', 'code_challenge']) expect(asked?.get(name)).toMatch(/^[\w-]{43}$/);
    expect(await stored(page)).not.toMatch(/eyJ|vireo\.login/);
    // Back is the provider, which lets the user in again with another code; nothing is left in the history.
    await page.reload();
    await button(page, 'Log in with Example staff').waitFor();
    await page.context().close();
  });

  it('renews the login before it ends, without asking', async () => {
    idp.tokenSeconds = 6;
    const page = await logInWithProvider();
    await page.waitForTimeout(12_000);
    expect(await dialog(page).count()).toBe(0);
    const answered = page.waitForResponse((response) => response.url().includes('/api') && response.status() !== 401);
    await page.getByRole('link', { name: 'Nodes' }).click();
    await answered;
    await page.context().close();
  });

  it('is asked again in a window of its own when the login has ended, and the page stays', async () => {
    idp.pages.isRefreshing = false;
    idp.tokenSeconds = 8;
    const page = await logInWithProvider();
    await page.getByRole('searchbox').first().fill('half a word');
    await page.getByText(/Your login ends in/).waitFor();
    await look(page, 'login-ends');
    await dialog(page).getByText('Your login has ended.').waitFor({ timeout: 20_000 });
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await expect.poll(() => dialog(page).isVisible()).toBe(true);
    expect(await seriousProblems(page)).toEqual([]);
    await look(page, 'login-again', { isLive: false });
    idp.tokenSeconds = 3600;
    await dialog(page).getByRole('button', { name: 'Log in with Example staff' }).click();
    await expect.poll(() => dialog(page).count(), { timeout: 20_000 }).toBe(0);
    expect(await page.getByRole('searchbox').first().inputValue()).toBe('half a word');
    expect(await user(page)).toBe('oidc:ada');
    await page.context().close();
  });

  it('ends its session, too, when the user logs out', async () => {
    const page = await logInWithProvider();
    await button(page, 'Log out').click();
    await button(page, 'Log in with Example staff').waitFor();
    const left = idp.pages.logouts.at(-1);
    expect(left?.get('id_token_hint')).toMatch(/^eyJ/);
    expect(left?.get('post_logout_redirect_uri')).toBe(address);
    await page.context().close();
  });

  it('whose answer is to another question lets nobody in', async () => {
    const page = await browser.open(address);
    // Somebody else's code, on a link that the user follows.
    await visit(page, `${address}login?code=stolen&state=guessed`);
    await page.getByText('Nobody waits for this login').waitFor();
    expect(page.url()).toBe(address);
    expect(await seriousProblems(page)).toEqual([]);
    await page.evaluate(
      `sessionStorage.setItem('vireo.login', JSON.stringify({ attempt: { provider: { name: 'Example staff' }, state: 'other' }, returnTo: '/dashboard/' }))`,
    );
    await visit(page, `${address}login?code=stolen&state=guessed`);
    await page.getByText('Example staff has answered another question').waitFor();
    await page.context().close();
  });
});

describe('a token', () => {
  it('that ends soon is announced, and another of the same user takes its place', async () => {
    const page = await browser.open(address);
    const token = (await kubectl('create token jane --duration=10m')).trim();
    await page.getByLabel('Token').fill(token);
    await button(page, /^Log in$/).click();
    await page.locator('.bar-user').waitFor();
    await page.getByRole('searchbox').first().fill('kept');
    // Seven minutes later: a third of it is left.
    await page.clock.install();
    await page.clock.setSystemTime(Date.now() + 7 * 60_000);
    await page.clock.runFor(2_000);
    await page.getByText('Your login ends in 3 minutes.').waitFor();
    await button(page, 'Log in again').click();
    const other = (await kubectl('create token default')).trim();
    await dialog(page).getByLabel('Token').fill(other);
    await dialog(page)
      .getByRole('button', { name: /^Log in$/ })
      .click();
    await dialog(page).getByText('Log in as system:serviceaccount:default:jane, or log out first.').waitFor();
    await dialog(page)
      .getByLabel('Token')
      .fill((await kubectl('create token jane')).trim());
    await dialog(page)
      .getByRole('button', { name: /^Log in$/ })
      .click();
    await expect.poll(() => dialog(page).count()).toBe(0);
    expect(await page.getByText('Your login ends in').count()).toBe(0);
    expect(await page.getByRole('searchbox').first().inputValue()).toBe('kept');
    await page.context().close();
  });

  it('is gone after the user has logged out, and after a quarter of an hour without input', async () => {
    const page = await browser.open(address);
    const token = (await kubectl('create token jane')).trim();
    const logIn = async (): Promise<void> => {
      await page.getByLabel('Token').fill(token);
      await button(page, /^Log in$/).click();
      await page.locator('.bar-user').waitFor();
    };
    await logIn();
    await page.getByRole('link', { name: 'Nodes' }).click();
    await button(page, 'Log out').click();
    await page.getByText('You are logged out.').waitFor();
    await page.goBack();
    await page.getByLabel('Token').waitFor();
    expect(await page.locator('.bar-user').count()).toBe(0);
    await logIn();
    await page.clock.install();
    await page.clock.setSystemTime(Date.now() + 16 * 60_000);
    await page.clock.runFor(11_000);
    await page.getByText('Locked, because nobody has touched the page').waitFor();
    expect(await page.locator('.bar-user').count()).toBe(0);
    await page.context().close();
  });
});

describe('a client certificate', () => {
  it('is used if the browser shows one, and needs no token', async () => {
    const { issueClientCertificate } = await import('@vireo/apiserver/auth/pki.ts');
    const { readFile } = await import('node:fs/promises');
    const pem = (name: string): Promise<string> => readFile(join(home, 'pki', name), 'utf8');
    const issuer = { ca: { certPem: await pem('ca.crt'), keyPem: await pem('ca.key') } };
    const { certPem, keyPem } = issueClientCertificate(issuer, {
      commonName: 'ada',
      organizations: ['oidc:developers'],
    });
    const { origin } = new URL(address);
    const clientCertificates = [{ origin, cert: Buffer.from(certPem), key: Buffer.from(keyPem) }];
    const page = await browser.open(address, { clientCertificates });
    await button(page, /Use my browser’s certificate/).waitFor();
    await look(page, 'login-certificate');
    expect(await seriousProblems(page)).toEqual([]);
    const asked = page.waitForRequest((request) => request.url().includes('/api'));
    await button(page, /Use my browser’s certificate/).click();
    expect((await asked).headers().authorization).toBeUndefined();
    await page.locator('.bar-user').waitFor();
    expect(await user(page)).toBe('ada');
    await button(page, 'Log out').click();
    await page.getByText('You are logged out.').waitFor();
    // A token that the user pastes goes before the certificate.
    await page.getByLabel('Token').fill((await kubectl('create token jane')).trim());
    await button(page, /^Log in$/).click();
    await page.locator('.bar-user').waitFor();
    expect(await user(page)).toBe('system:serviceaccount:default:jane');
    await page.context().close();
  });
});

describe('vireo dashboard', () => {
  it('whose session has ended elsewhere goes on with another address, and the page stays', async () => {
    const cluster = await loadKubeconfig({ path: vireo.kubeconfig });
    const local = await startDashboard({ cluster, namespace: 'default', port: 0, page: await loadPage() });
    try {
      const page = await browser.open(local.newAddress());
      await page.locator('.bar-user').waitFor();
      const other = await page.context().newPage();
      await visit(other, `http://127.0.0.1:${local.port}/dashboard/`);
      await button(other, 'Log out').click();
      await other.getByText('You are logged out.').waitFor();
      await page.getByRole('link', { name: 'Nodes' }).click();
      await dialog(page).getByText('Your login has ended.').waitFor();
      await dialog(page).getByRole('button', { name: 'Continue' }).click();
      await dialog(page).getByText('There is no session yet.').waitFor();
      expect(await seriousProblems(page)).toEqual([]);
      await look(page, 'login-local', { isLive: false });
      await visit(other, local.newAddress());
      await other.locator('.bar-user').waitFor();
      await dialog(page).getByRole('button', { name: 'Continue' }).click();
      await expect.poll(() => dialog(page).count()).toBe(0);
      await page.getByRole('heading', { name: 'Nodes' }).first().waitFor();
      await page.context().close();
    } finally {
      await local.close();
    }
  });
});
