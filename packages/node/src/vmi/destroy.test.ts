import { LibvirtError } from '@vireo/libvirt';
import { expect, it } from 'vitest';
import { vmiIn } from '../testing/objects.ts';
import { destroy } from './destroy.ts';
import type { Domain } from './domainInformer.ts';
import { emptyCache } from './localVmi.ts';

/** libvirt with an answer to being asked to switch a guest off; a daemon whose locks are lost cannot be had on demand. */
function libvirtThat(answer: () => Promise<void>) {
  const done: string[] = [];
  const events: string[] = [];
  const context = {
    libvirt: { long: { destroyDomain: answer } },
    domains: { refresh: async () => void done.push('looked again') },
    supervisor: { replace: async (why: string) => void done.push(`replaced: ${why}`) },
    recorder: { event: (_: unknown, _type: string, reason: string) => void events.push(reason) },
    host: { name: 'here' },
  } as unknown as Parameters<typeof destroy>[1];
  const cache = emptyCache();
  const domain = { ref: { name: 'shop_web' } } as Domain;
  const off = (nodeName = 'here') =>
    destroy({ vmi: { ...vmiIn('Running'), status: { nodeName } }, domain, cache }, context);
  return { done, events, off };
}

const refusal = (code: number, message: string) => async (): Promise<void> => {
  throw new LibvirtError({ code, domain: 10, level: 2, message, procedure: 'domainDestroyFlags' });
};

it.each([
  ['it was on', async () => {}],
  ['it was off already', refusal(55, 'Requested operation is not valid: domain is not running')],
  ['there is none', refusal(42, 'Domain not found')],
])('%s: that is looked at', async (_, answer) => {
  const { off, done } = libvirtThat(answer);
  await off();
  expect(done).toEqual(['looked again']);
});

it('a libvirtd that cannot get at its domain is replaced, once', async () => {
  const message = 'Timed out during operation: cannot acquire state change lock';
  const { off, done } = libvirtThat(refusal(68, message));
  await expect(off()).rejects.toThrow(message);
  expect(done).toEqual([]);
  for (const _ of ['second', 'third', 'fourth']) await expect(off()).rejects.toThrow(message);
  expect(done).toEqual([`replaced: cannot power off shop_web: ${message}`]);
});

it('that a guest is deleted is told by the node that it runs on alone', async () => {
  const { off, events, done } = libvirtThat(async () => {});
  await off('elsewhere');
  expect(events).toEqual([]);
  await off();
  expect(events).toEqual(['Deleted']);
  expect(done).toEqual(['looked again', 'looked again']);
});
