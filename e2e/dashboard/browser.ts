import { type BrowserContextOptions, chromium, type Page, type Request } from 'playwright-core';

/** Debian's Chromium, without a screen, and what its pages complained about. */
export interface Browser {
  /** Opens a page in a profile of its own. */
  open(address: string, options?: BrowserContextOptions): Promise<Page>;
  /** Errors on the console, breaches of the Content-Security-Policy among them, and exceptions. */
  problems(): readonly string[];
  /** Forgets the problems so far. */
  forget(): void;
  close(): Promise<void>;
}

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Guests of this and of other tests bring network devices with them, and Chromium then cuts its connections; pages recover. */
const NETWORK_CHANGED = 'net::ERR_NETWORK_CHANGED';
/** Tests read the pixels of canvases, which the page itself never does. */
const SLOW_PIXELS = 'Canvas2D: Multiple readback operations';
/** The page that the browser shows in place of one that was cut is none that can be loaded anew at once. */
const CUT = [NETWORK_CHANGED, 'Not attached to an active page'];
const MOST_ATTEMPTS = 5;

/** Opens an address, and once more if a file of the page was cut: the page does nothing before it has them all. */
export async function visit(page: Page, address: string): Promise<void> {
  let isCut = false;
  const notice = (request: Request): void => {
    const isFile = ['document', 'script', 'stylesheet'].includes(request.resourceType());
    if (isFile && request.failure()?.errorText === NETWORK_CHANGED) isCut = true;
  };
  page.on('requestfailed', notice);
  const unlessCut = (error: unknown): void => {
    if (!CUT.some((text) => String(error).includes(text))) throw error;
    isCut = true;
  };
  await page.goto(address).catch(unlessCut);
  for (let attempt = 0; isCut && attempt < MOST_ATTEMPTS; attempt++) {
    isCut = false;
    // The same address with its fragment would not load anything.
    await page.reload().catch(unlessCut);
  }
  page.off('requestfailed', notice);
}

export async function launchBrowser(): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', headless: true, args: FLAGS });
  const problems: string[] = [];
  return {
    async open(address, options = {}) {
      // The server's authority is its own; users accept its certificate by hand.
      const context = await browser.newContext({
        ignoreHTTPSErrors: true,
        viewport: { width: 1280, height: 720 },
        ...options,
      });
      const page = await context.newPage();
      page.on('console', (message) => {
        const isProblem = message.type() === 'error' || message.type() === 'warning';
        const isOurs = [NETWORK_CHANGED, SLOW_PIXELS].some((text) => message.text().includes(text));
        if (isProblem && !isOurs) problems.push(`${message.text()} ${message.location().url}`.trim());
      });
      page.on('pageerror', (error) => problems.push(String(error)));
      await visit(page, address);
      return page;
    },
    problems: () => problems,
    forget: () => {
      problems.length = 0;
    },
    close: () => browser.close(),
  };
}
