import { expect, it, vi } from 'vitest';
import type { VolumeDraft } from '../../decisions/images/drafts.ts';
import { Api } from '../api.ts';
import type { Carrier } from '../carrier.ts';
import { Uploads } from './uploads.ts';

const draft: VolumeDraft = { name: 'disk', namespace: 'shop', size: '1Gi', storageClass: '', isImage: false };
const answer = (body: object): Response => Response.json(body);

/** A server that makes volumes when it is told to, and deletes them at once. */
function slowServer() {
  const deleted = Promise.withResolvers<void>();
  const making = Promise.withResolvers<void>();
  const asked: string[] = [];
  let isThere = false;
  const volume = { metadata: { name: 'disk', namespace: 'shop', uid: 'u-1', resourceVersion: '1' } };
  const carrier: Carrier = {
    async fetch(_path: string, init: RequestInit = {}) {
      const method = init.method ?? 'GET';
      if (method !== 'GET') asked.push(`${method} ${String(init.body)}`);
      if (method === 'POST') {
        await making.promise;
        init.signal?.throwIfAborted();
        isThere = true;
        return answer(volume);
      }
      if (method === 'DELETE') {
        isThere = false;
        deleted.resolve();
      }
      return answer({ items: isThere ? [volume] : [], metadata: { resourceVersion: '2' } });
    },
    watch: async (_, onEvent) => {
      await deleted.promise;
      onEvent({ type: 'DELETED', object: volume });
      await new Promise(() => {});
    },
    open: () => {
      throw new Error('nothing is opened');
    },
    close: () => {},
  };
  const api = new Api(carrier);
  return { api, asked, make: making.resolve, isThere: () => isThere };
}

it('an upload that is cancelled while its volume is made leaves none behind', async () => {
  const { api, asked, make, isThere } = slowServer();
  const uploads = new Uploads({ api, mode: 'local' });
  uploads.add(new File(['data'], 'disk.img'), draft);
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  const cancelled = uploads.cancel(1);
  expect(uploads.views()[0]?.phase).toBe('cancelling');
  make();
  await cancelled;
  expect(asked[1]).toMatch(/^DELETE .*"uid":"u-1"/);
  expect(isThere()).toBe(false);
  expect(uploads.views()).toEqual([]);
  api.close();
});
