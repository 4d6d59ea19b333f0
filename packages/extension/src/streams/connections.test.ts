import { exposition, Metrics, systemClock } from '@vireo/kube';
import { parseExposition } from '@vireo/kube/testing/parseExposition.ts';
import { expect, it } from 'vitest';
import { vmiWith } from '../testing/vms.ts';
import { observeConnections } from './connections.ts';

it('counts the streams that are open, and remembers the last', async () => {
  const metrics = new Metrics();
  const connected = observeConnections(metrics, { ...systemClock, now: () => 5_900 });
  const read = async (name: string) =>
    parseExposition(await exposition(new Map([['virt-api', metrics]])))
      .get(`kubevirt_${name}`)
      ?.samples.map(({ labels, value }) => [labels, value]);
  const vmi = vmiWith();
  const of = { namespace: 'default', vmi: 'web' };
  expect(await read('vmi_last_api_connection_timestamp_seconds')).toEqual([]);

  const ends = [connected(vmi, 'portforward/22/tcp'), connected(vmi, 'portforward/80/tcp'), connected(vmi, 'vnc')];
  expect(await read('portforward_active_tunnels')).toEqual([[of, 2]]);
  expect(await read('vnc_active_connections')).toEqual([[of, 1]]);
  expect(await read('console_active_connections')).toEqual([]);
  expect(await read('vmi_last_api_connection_timestamp_seconds')).toEqual([[of, 5]]);

  ends[0]?.();
  expect(await read('portforward_active_tunnels')).toEqual([[of, 1]]);
  for (const end of ends.slice(1)) end();
  expect(await read('portforward_active_tunnels')).toEqual([]);
  expect(await read('vmi_last_api_connection_timestamp_seconds')).toEqual([[of, 5]]);
});
