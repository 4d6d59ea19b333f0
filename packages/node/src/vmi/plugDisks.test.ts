import { expect, it } from 'vitest';
import type { NodeContext } from '../context.ts';
import { podIn, vmiIn } from '../testing/objects.ts';
import { domainView } from './domainView.ts';
import { emptyCache, type RunningVmi } from './localVmi.ts';
import { plugDisks } from './plugDisks.ts';

it('a guest is asked to let go of a disk once, and again only after a while, as long as it has the disk', async () => {
  const xml =
    "<domain><devices><disk type='file' device='disk'><source file='/data.img' index='2'/><target dev='sdb' bus='scsi'/><alias name='ua-data'/></disk></devices></domain>";
  let live = xml;
  const asked: string[] = [];
  const clock = { ms: 0, now: () => clock.ms };
  const context = {
    libvirt: {
      calls: {
        domainXml: async () => live,
        detachDeviceByAlias: async (_: unknown, alias: string) => asked.push(`${alias} at ${clock.ms}`),
      },
    },
    domains: { refresh: async () => {} },
    recorder: { event: () => {} },
    clock,
  } as unknown as NodeContext;
  const local = {
    vmi: vmiIn('Running'),
    pod: podIn('Running'),
    domain: { ref: {}, state: { state: 'running' }, view: domainView(xml) },
    attachments: [],
    cache: emptyCache(),
  } as unknown as RunningVmi;
  const unplug = () => plugDisks(local, { attach: [], detach: ['data'] }, context);
  await unplug();
  await unplug();
  clock.ms = 4_999;
  await unplug();
  expect(asked).toEqual(['ua-data at 0']);
  clock.ms = 5_000;
  await unplug();
  expect(asked).toEqual(['ua-data at 0', 'ua-data at 5000']);
  // It has just gone, and what is known of the domain is older.
  live = '<domain/>';
  clock.ms = 10_000;
  await unplug();
  expect(asked).toHaveLength(2);
});
