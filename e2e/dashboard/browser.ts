import { chromium, type Page } from 'playwright-core';

/** Debian's Chromium, without a screen, and what its pages complained about. */
export interface Browser {
  /** Opens a page in a profile of its own. */
  open(address: string): Promise<Page>;
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

export async function launchBrowser(): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', headless: true, args: FLAGS });
  const problems: string[] = [];
  return {
    async open(address) {
      // The server's authority is its own; users accept its certificate by hand.
      const context = await browser.newContext({ ignoreHTTPSErrors: true, viewport: { width: 1280, height: 720 } });
      const page = await context.newPage();
      page.on('console', (message) => {
        const isProblem = message.type() === 'error' || message.type() === 'warning';
        if (isProblem && !message.text().includes(NETWORK_CHANGED)) problems.push(message.text());
      });
      page.on('pageerror', (error) => problems.push(String(error)));
      await page.goto(address);
      return page;
    },
    problems: () => problems,
    forget: () => {
      problems.length = 0;
    },
    close: () => browser.close(),
  };
}
