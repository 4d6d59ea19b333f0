import { afterEach, expect, it, vi } from 'vitest';
import { Api } from './api.ts';
import type { Carrier } from './carrier.ts';
import { type KubeObject, whole } from './kinds.ts';

/** A server whose lists have three pages of one object each; notes what it is asked. */
function server() {
  const log: string[] = [];
  const carrier: Carrier = {
    async fetch(path) {
      const { pathname, searchParams } = new URL(path, 'https://server');
      const page = Number(searchParams.get('continue') ?? 0);
      log.push(`${pathname} page ${page}`);
      const metadata = { resourceVersion: '7', ...(page < 2 && { continue: String(page + 1) }) };
      return Response.json({ metadata, items: [{ metadata: { name: `row-${page}` } }] });
    },
    async watch(path, _onEvent, signal) {
      log.push(`${path.split('?')[0]} watch`);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
    open: () => {
      throw new Error('no streams here');
    },
    close: () => {},
  };
  return { log, api: new Api(carrier) };
}

it('the next page of a list is asked for before the rows of this one are made', async () => {
  const { log, api } = server();
  api.view('/vms', (object: KubeObject) => log.push(object.metadata.name));
  await expect.poll(() => log.at(-1)).toBe('/vms watch');
  expect(log).toEqual(['/vms page 0', '/vms page 1', 'row-0', '/vms page 2', 'row-1', 'row-2', '/vms watch']);
  api.close();
});

it('views that want the same rows of a path share one list and one watch', async () => {
  const { log, api } = server();
  const views = [api.view('/vms', whole), api.view('/vms', whole), api.view('/vmis', whole)];
  await expect.poll(() => log.filter((line) => line.endsWith('watch')).length).toBe(2);
  expect(views[0]).toBe(views[1]);
  expect(log.filter((line) => line.endsWith('page 0'))).toEqual(['/vms page 0', '/vmis page 0']);
  api.close();
});

afterEach(() => void vi.useRealTimers());

it('a collection that is asked for just when it would be given up is followed on', async () => {
  vi.useFakeTimers();
  const { log, api } = server();
  const first = api.view('/vms', whole);
  const leave = api.hold('/vms', whole);
  await vi.advanceTimersByTimeAsync(1_000);
  leave();
  await vi.advanceTimersByTimeAsync(29_999);
  // It is drawn before, and counted after the end of the wait.
  expect(api.view('/vms', whole)).toBe(first);
  await vi.advanceTimersByTimeAsync(2);
  const leaveAgain = api.hold('/vms', whole);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(api.view('/vms', whole)).toBe(first);
  leaveAgain();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(api.view('/vms', whole)).not.toBe(first);
  expect(log.filter((line) => line.endsWith('watch'))).toHaveLength(1);
  api.close();
});
