import { ApiError } from '@vireo/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Client } from './client.ts';
import { Informer } from './informer.ts';
import type { ResourceClient } from './resourceClient.ts';
import { eventually } from './testing/eventually.ts';
import { FakeKubernetes } from './testing/fakeKubernetes.ts';
import { fakeTransport } from './testing/fakeTransport.ts';
import { impatientClock } from './testing/impatientClock.ts';
import { ConfigMap, configMap } from './testing/kinds.ts';
import { memoryLog } from './testing/memoryLog.ts';

let server: FakeKubernetes;
let maps: ResourceClient<ConfigMap>;

describe('Informer under any sequence of changes and interruptions', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd');
  const write = fc.record({ do: fc.constantFrom('create', 'update', 'delete'), name });
  const step = fc.oneof(
    { weight: 6, arbitrary: write },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constantFrom('break', 'end', 'expire', 'compact', 'bookmark', 'refuse', 'settle', 'toggleStreaming'),
      }),
    },
    // What happens while the informer can see nothing of it, with and without the history to catch up from.
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('away', 'awayForLong'), writes: fc.array(write) }) },
  );
  type Step = { do: string; name?: string; writes?: Step[] };

  const versions = (objects: Iterable<{ metadata: ConfigMap['metadata'] }>) =>
    [...objects]
      .map(({ metadata }) => `${metadata.name}@${metadata.uid}@${metadata.resourceVersion}`)
      .sort()
      .join();
  const isInStep = (informer: Informer<ConfigMap>) =>
    informer.hasSynced && versions(informer.list()) === versions(server.store.state().values());

  async function carryOut(next: Step, informer: Informer<ConfigMap>): Promise<void> {
    const at = { namespace: 'default' };
    const exists = server.store.state().has(`/configmaps/default/${next.name}`);
    if (next.do === 'create' && !exists) await maps.create(configMap(next.name!));
    if (next.do === 'update' && exists)
      await maps.patch(next.name!, { data: { at: String(server.store.revision) } }, { ...at, type: 'merge' });
    if (next.do === 'delete' && exists) await maps.delete(next.name!, at);
    if (next.do === 'break') server.breakWatches();
    if (next.do === 'end') server.endWatches();
    if (next.do === 'expire') server.expireWatches();
    if (next.do === 'compact') server.store.compact();
    if (next.do === 'bookmark') server.sendBookmarks();
    if (next.do === 'toggleStreaming') server.streamsLists = !server.streamsLists;
    if (next.do === 'settle') await eventually(() => isInStep(informer));
    if (next.do === 'refuse') refuseReads('once');
    if (next.writes) {
      await eventually(() => isInStep(informer));
      refuseReads('always');
      server.breakWatches();
      for (const change of next.writes) await carryOut(change, informer);
      if (next.do === 'awayForLong') server.store.compact();
      server.intercept = () => {};
    }
  }

  function refuseReads(howOften: 'once' | 'always'): void {
    server.intercept = ({ method }) => {
      if (method !== 'GET') return;
      if (howOften === 'once') server.intercept = () => {};
      throw new ApiError('InternalError', 'not now');
    };
  }

  it('ends up with the state of the server, and its handlers told the whole story', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        server = new FakeKubernetes();
        maps = new Client(fakeTransport(server)).of(ConfigMap);
        const end = new AbortController();
        const informer = new Informer(maps, { log: memoryLog(), clock: impatientClock });
        const told = new Map<string, ConfigMap>();
        const lies: string[] = [];
        informer.on({
          added: (object) => {
            if (told.has(object.metadata.name)) lies.push(`added ${object.metadata.name} twice`);
            told.set(object.metadata.name, object);
          },
          updated: (old, object) => {
            if (told.get(object.metadata.name) !== old) lies.push(`updated ${object.metadata.name} from another`);
            told.set(object.metadata.name, object);
          },
          deleted: (object) => {
            if (!told.delete(object.metadata.name)) lies.push(`deleted ${object.metadata.name}, which was not there`);
          },
        });
        informer.start(end.signal);
        for (const next of steps) await carryOut(next, informer);
        // The last state must be like no earlier one, or the informer could look finished while it is still behind.
        await maps.create(configMap('end'));
        await eventually(() => isInStep(informer));
        expect(versions(told.values())).toBe(versions(server.store.state().values()));
        expect(lies).toEqual([]);
        end.abort();
      }),
      { numRuns: 60 },
    );
  });
});
