import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { ALARM } from './payloads.ts';

/** A page of a real browser, and everything that it should not have done. */
export interface Watched {
  readonly page: Page;
  /** Scripts that ran, breaches of the policy, errors and dialogs, since the last call. */
  problems(): Promise<string[]>;
  /** Which servers it has asked for anything, by origin. */
  origins(): readonly string[];
  close(): Promise<void>;
}

export const CHROMIUM = '/usr/bin/chromium';
/** A name that leads to this host, as DNS of others can. */
export const EVIL_HOST = 'evil.test';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  `--host-resolver-rules=MAP ${EVIL_HOST} 127.0.0.1`,
  // Attacks from other sites are to reach the server, so that the server is what stops them.
  '--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests',
];

export const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM, headless: true, args: FLAGS });

/** What browsers say about every answer that is no success, and noVNC about every screen that cannot be shown. */
const OF_ANSWERS =
  /^Failed to load resource|net::ERR_NETWORK_CHANGED|WebSocket connection to|^Failed when connecting|^Tried changing state of a disconnected RFB/;

export async function watch(browser: Browser, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, ...options });
  const page = await context.newPage();
  const told: string[] = [];
  const origins = new Set<string>();
  const note = (url: string): unknown => /^(https?|wss?):/.test(url) && origins.add(originOf(url));
  page.on('request', (request) => note(request.url()));
  page.on('websocket', (socket) => note(socket.url()));
  await page.addInitScript(`
    window.__told = [];
    window.${ALARM} = (field) => window.__told.push('a script of the field ' + field + ' ran');
    document.addEventListener('securitypolicyviolation', (event) =>
      window.__told.push('the policy was breached: ' + event.violatedDirective + ' ' + event.blockedURI));
  `);
  page.on('console', (message) => {
    if (message.type() === 'error' && !OF_ANSWERS.test(message.text()))
      told.push(`error on the console: ${message.text().slice(0, 300)}`);
  });
  page.on('pageerror', (error) => told.push(`exception: ${String(error).slice(0, 300)}`));
  page.on('dialog', (dialog) => {
    told.push(`a dialog was opened: ${dialog.message().slice(0, 100)}`);
    void dialog.dismiss();
  });
  return {
    page,
    async problems() {
      const inPage = (await page.evaluate('window.__told.splice(0)').catch(() => [])) as string[];
      return [...told.splice(0), ...inPage];
    },
    origins: () => [...origins],
    close: () => context.close(),
  };
}

/** A WebSocket goes to the same server as other requests. */
const originOf = (url: string): string => new URL(url.replace(/^ws/, 'http')).origin;
