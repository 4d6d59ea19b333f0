import { fileURLToPath } from 'node:url';
import type { CDPSession, Page } from 'playwright-core';
import { type Browser, launchBrowser } from '../../e2e/dashboard/browser.ts';

/** The list of machines in a browser, as a benchmark looks at it. */
export class MeasuredPage implements AsyncDisposable {
  readonly #browser: Browser;
  readonly page: Page;
  readonly #devtools: CDPSession;

  private constructor(browser: Browser, page: Page, devtools: CDPSession) {
    this.#browser = browser;
    this.page = page;
    this.#devtools = devtools;
  }

  /** Opens the address that `vireo dashboard` printed, which works once, and waits until all machines are listed. */
  static async open(address: string, machines: number): Promise<MeasuredPage> {
    const browser = await launchBrowser();
    const page = await browser.open(address);
    // The code in the address has been exchanged.
    await page.locator('.bar-user').waitFor();
    await page.addInitScript({ path: fileURLToPath(new URL('./inPage.js', import.meta.url)) });
    await page.reload();
    const opened = new MeasuredPage(browser, page, await page.context().newCDPSession(page));
    await opened.#listed(machines);
    return opened;
  }

  /** Loads the page anew with an empty cache: how long until all machines are listed, and what came over the wire. */
  async load(machines: number): Promise<{ ms: number; kilobytes: number }> {
    await this.#devtools.send('Network.enable');
    await this.#devtools.send('Network.clearBrowserCache');
    const files = new Map<string, number>();
    const isFile = new Map<string, boolean>();
    const onResponse = ({ requestId, response }: { requestId: string; response: { url: string } }): unknown =>
      isFile.set(requestId, /\/dashboard\/(assets\/|[\w.]*$)/.test(new URL(response.url).pathname));
    const onEnd = ({ requestId, encodedDataLength }: { requestId: string; encodedDataLength: number }): void => {
      if (isFile.get(requestId)) files.set(requestId, encodedDataLength);
    };
    this.#devtools.on('Network.responseReceived', onResponse).on('Network.loadingFinished', onEnd);
    const startedAt = performance.now();
    await this.page.reload({ waitUntil: 'commit' });
    await this.#listed(machines);
    const ms = performance.now() - startedAt;
    await this.#devtools.send('Network.disable');
    this.#devtools.off('Network.responseReceived', onResponse).off('Network.loadingFinished', onEnd);
    return { ms, kilobytes: [...files.values()].reduce((sum, size) => sum + size, 0) / 1_000 };
  }

  /** Reads and parses the same lists in the same page, and draws nothing: what a table of them costs at least. */
  read(): Promise<number> {
    return this.page.evaluate<number>('vireoBench.read()');
  }

  /** Resolves when the page looks out for a text; a busy host can take long to ask it to. */
  async lookOut(text: string): Promise<void> {
    await this.page.evaluate(`vireoBench.lookOut(${JSON.stringify(text)})`);
  }

  /** Resolves with the time at which a frame with the text was drawn, by the clock of this host. */
  drawn(): Promise<number> {
    return this.page.evaluate<number>('vireoBench.drawn()');
  }

  /** Scrolls through the list; the longest task of the main thread, in milliseconds, or 0 if all were below 50. */
  scroll(seconds: number): Promise<number> {
    return this.page.evaluate<number>(`vireoBench.scroll(${seconds})`);
  }

  /** Megabytes of JavaScript's heap that are in use when the garbage is gone. */
  async heap(): Promise<number> {
    await this.#devtools.send('HeapProfiler.enable');
    await this.#devtools.send('HeapProfiler.collectGarbage');
    await this.#devtools.send('HeapProfiler.collectGarbage');
    const { usedSize } = await this.#devtools.send('Runtime.getHeapUsage');
    return usedSize / 1e6;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
  }

  async #listed(machines: number): Promise<void> {
    await this.page.getByText(`${machines} machines`, { exact: true }).waitFor({ timeout: 120_000 });
    await this.page.getByRole('link', { name: 'machine-00000' }).waitFor();
  }
}
