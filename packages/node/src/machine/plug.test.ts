import { expect, it } from 'vitest';
import type { NodeContext } from '../context.ts';
import { podIn, vmiIn } from '../testing/objects.ts';
import { domainView } from './domainView.ts';
import { type Machine, newMemory } from './machine.ts';
import { plug } from './plug.ts';

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
  const base = vmiIn('Running');
  const volumeStatus = [{ name: 'data', target: 'sdb', hotplugVolume: {} }];
  const machine = {
    vmi: { ...base, status: { ...base.status, volumeStatus } },
    pod: podIn('Running'),
    domain: { ref: {}, state: { state: 'running' }, view: domainView(xml) },
    attachments: [],
    memory: newMemory(),
  } as unknown as Machine;
  const report = () => plug(machine, context);
  expect(await report()).toMatchObject({ isDetaching: true });
  await report();
  clock.ms = 4_999;
  await report();
  expect(asked).toEqual(['ua-data at 0']);
  clock.ms = 5_000;
  await report();
  expect(asked).toEqual(['ua-data at 0', 'ua-data at 5000']);
  // It has just gone, and what is known of the domain is older.
  live = '<domain/>';
  clock.ms = 10_000;
  await report();
  expect(asked).toHaveLength(2);
});
