import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';

/** A website of somebody else, on this host. */
export interface AttackSite {
  readonly port: number;
  /** The headers of those who came, such as Referer. */
  readonly visits: IncomingHttpHeaders[];
  close(): void;
}

export async function startAttackSite(): Promise<AttackSite> {
  const visits: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    visits.push(request.headers);
    response.writeHead(200, { 'content-type': 'text/html', 'access-control-allow-origin': '*' });
    response.end('<!doctype html><title>attack</title><body><iframe name="hidden"></iframe></body>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    visits,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** What a page of another origin can try on a server. */
export interface Aim {
  /** Such as `https://127.0.0.1:6443`. */
  readonly origin: string;
  /** A path that reads something, and one that a POST of `body` writes to. */
  readonly readPath: string;
  readonly writePath: string;
  readonly body: string;
  /** Streams that act for whoever opens them. */
  readonly streams: readonly string[];
}

/** Tries everything from the page that is open; what it got is what should not be. */
export async function attack(page: Page, aim: Aim): Promise<string[]> {
  const found = (await page.evaluate(`(${tryEverything})(${JSON.stringify(aim)})`)) as string[];
  await formPost(page, aim);
  return found;
}

/** Runs in the attacker's page: a string, because its types are a browser's. */
const tryEverything = `async ({ origin, readPath, writePath, body, streams }) => {
  const found = [];
  const wait = (promise) => Promise.race([promise, new Promise((resolve) => setTimeout(resolve, 4000))]);
  const read = async (label, path, init) => {
    try {
      const response = await fetch(origin + path, init);
      if (response.type !== 'opaque') found.push(label + ' could be read: ' + response.status);
    } catch {}
  };
  for (const credentials of ['include', 'omit']) {
    await wait(read('GET', readPath, { credentials }));
    await wait(read('GET with our header', readPath, { credentials, headers: { 'x-vireo-dashboard': '1' } }));
    await wait(read('GET, no-cors', readPath, { credentials, mode: 'no-cors' }));
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      await wait(read('POST', writePath, { method: 'POST', credentials, mode: 'no-cors', headers: { 'content-type': type }, body }));
    }
    await wait(read('POST as JSON', writePath, { method: 'POST', credentials, headers: { 'content-type': 'application/json', 'x-vireo-dashboard': '1' }, body }));
    await wait(read('POST of a Blob', writePath, { method: 'POST', credentials, mode: 'no-cors', body: new Blob([body]) }));
    await wait(read('DELETE', writePath, { method: 'DELETE', credentials }));
  }
  navigator.sendBeacon(origin + writePath, body);
  const socket = (path, protocols) => new Promise((resolve) => {
    const opened = new WebSocket(origin.replace(/^http/, 'ws') + path, protocols);
    opened.onopen = () => { found.push('a WebSocket to ' + path + ' was opened'); opened.close(); resolve(); };
    opened.onerror = () => resolve();
  });
  for (const path of streams) {
    await wait(socket(path, ['plain.kubevirt.io']));
    await wait(socket(path, []));
  }
  const image = new Image();
  await wait(new Promise((resolve) => { image.onload = () => { found.push('an image was read'); resolve(); }; image.onerror = resolve; image.src = origin + readPath; }));
  return found;
}`;

/** A form needs no script at all, and its answer goes into a frame. */
async function formPost(page: Page, { origin, writePath, body }: Aim): Promise<void> {
  const [name, value] = [body.slice(0, -1), ''];
  await page.evaluate(`(() => {
    const form = document.createElement('form');
    Object.assign(form, { method: 'post', enctype: 'text/plain', target: 'hidden', action: ${JSON.stringify(origin + writePath)} });
    const input = document.createElement('input');
    Object.assign(input, { type: 'hidden', name: ${JSON.stringify(`${name},"x":"`)}, value: ${JSON.stringify(`${value}"}`)} });
    form.append(input);
    document.body.append(form);
    form.submit();
  })()`);
  await page.waitForTimeout(1_000);
}
