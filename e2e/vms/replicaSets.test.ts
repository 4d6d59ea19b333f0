import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { end, useVms } from './fixture.ts';
import { guestsOf } from './leftovers.ts';
import { instance, type VmOptions } from './manifests.ts';

const { kubectl, home, clear, create, vireo, server, startAgain } = useVms();
const example = join(import.meta.dirname, '../../examples/replica-set.yaml');

interface Vmi {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly deletionTimestamp?: string;
    readonly ownerReferences?: readonly { readonly name: string }[];
  };
  readonly status?: { readonly phase?: string };
}

/** A set of boot-sector guests that are labelled `farm`. */
const replicaSet = (name: string, replicas: number, options: VmOptions = {}, apiVersion = 'kubevirt.io/v1') =>
  JSON.stringify({
    apiVersion,
    kind: 'VirtualMachineInstanceReplicaSet',
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { farm: 'hens' } },
      template: { metadata: { labels: { farm: 'hens' } }, spec: JSON.parse(instance(name, options)).spec },
    },
  });

/** Those that nobody has deleted and whose guests have not ended. */
const living = async (): Promise<Vmi[]> =>
  (await kubectl.json<{ items: Vmi[] }>('get vmi -l farm=hens -o json')).items.filter(
    ({ metadata, status }) => !metadata.deletionTimestamp && !['Succeeded', 'Failed'].includes(status?.phase ?? ''),
  );
const names = async (): Promise<string[]> => (await living()).map(({ metadata }) => metadata.name).toSorted();

/** Waits until `kubectl get vmirs` shows so many wanted, there and ready, none of these among them. */
const untilReady = (set: string, count: number, without: readonly string[] = []): Promise<void> =>
  vi.waitFor(
    async () => {
      expect(await kubectl(`get vmirs ${set} --no-headers`)).toMatch(
        new RegExp(`^${set} +${count} +${count} +${count} `),
      );
      const now = await names();
      expect(now).toHaveLength(count);
      for (const gone of without) expect(now).not.toContain(gone);
    },
    { timeout: 60_000, interval: 200 },
  );

describe('a replica set', () => {
  it('runs as many guests as it wants', async () => {
    await create(replicaSet('farm', 5));
    await untilReady('farm', 5);
    expect(await guestsOf(home())).toHaveLength(5);
    expect(await kubectl('get vmirs')).toMatch(/^NAME +DESIRED +CURRENT +READY +AGE\nfarm +5 +5 +5 +/);
  }, 120_000);

  it('replaces what dies, whichever way', async () => {
    const [killed = '', unlaunched = '', deleted = ''] = await names();
    const qemu = (await guestsOf(home())).find(({ command }) => command.some((word) => word.includes(`_${killed},`)));
    expect(qemu).toBeDefined();
    if (qemu) end(qemu.pid, 'SIGKILL');
    const pod = await kubectl.run(
      `get pods -l vm.kubevirt.io/name=${unlaunched} -o jsonpath={.items[0].metadata.name}`,
    );
    await kubectl.do(`delete pod ${pod.stdout} --wait=false`);
    await kubectl.do(`delete vmi ${deleted} --wait=false`);
    await untilReady('farm', 5, [killed, unlaunched, deleted]);
    await vi.waitFor(async () => expect(await guestsOf(home())).toHaveLength(5), { timeout: 30_000 });
  }, 120_000);

  it('is scaled down in a known order: first what is not ready, then what costs least', async () => {
    const [dear = '', dearer = '', paused = ''] = await names();
    for (const name of [dear, dearer, paused]) await kubectl.do(`annotate vmi ${name} kubevirt.io/deletion-cost=10`);
    expect(await vireo(`pause vmi ${paused}`)).toBe(`VMI ${paused} was scheduled to pause`);
    await kubectl.do(`wait vmi/${paused} --for=condition=Ready=False --timeout=30s`);
    await kubectl.until('get vmirs farm --no-headers', /^farm +5 +5 +4 /);
    expect(await kubectl('scale vmirs farm --replicas=2 --current-replicas=4')).toMatch(
      /expected replicas to be 4, was 5/i,
    );
    expect(await kubectl('scale vmirs farm --replicas=2 --current-replicas=5')).toBe(
      'virtualmachineinstancereplicaset.kubevirt.io/farm scaled',
    );
    await untilReady('farm', 2);
    expect(await names()).toEqual([dear, dearer].toSorted());
  }, 120_000);

  it('that is paused does nothing, and says so', async () => {
    await kubectl.do('patch vmirs farm --type=merge -p \'{"spec":{"paused":true}}\'');
    await kubectl.do('wait vmirs/farm --for=condition=ReplicaPaused --timeout=30s');
    const [lost = '', kept = ''] = await names();
    await kubectl.do(`delete vmi ${lost}`);
    await kubectl.until('get vmirs farm --no-headers', /^farm +2 +1 +1 /);
    expect(await names()).toEqual([kept]);
    await kubectl.do('patch vmirs farm --type=merge -p \'{"spec":{"paused":false}}\'');
    await untilReady('farm', 2);
  }, 120_000);

  it('that goes without its guests leaves them; another set of that label takes them over', async () => {
    const before = await names();
    await kubectl.do('delete vmirs farm --cascade=orphan');
    for (const { metadata } of await living()) expect(metadata.ownerReferences ?? []).toEqual([]);
    expect(await names()).toEqual(before);
    const applied = await kubectl('apply -f -', { input: replicaSet('heir', 2, {}, 'kubevirt.io/v1alpha2') });
    expect(applied).toContain('Warning: kubevirt.io/v1alpha2 is deprecated; use kubevirt.io/v1');
    await untilReady('heir', 2);
    expect(await names()).toEqual(before);
    for (const { metadata } of await living()) expect(metadata.ownerReferences?.[0]?.name).toBe('heir');
  }, 120_000);

  it('that goes takes its guests along', async () => {
    await kubectl.do('delete vmirs heir --cascade=foreground --timeout=60s');
    expect(await names()).toEqual([]);
  }, 120_000);

  it('has exactly as many as it wants after the server was killed in the middle of it', async () => {
    const watch = kubectl.start('get vmi --watch-only -o name');
    // No node is like that: none of them starts, and the host is spared.
    const created = create(replicaSet('herd', 200, { spec: { nodeSelector: { pasture: 'green' } } }));
    await watch.until('virtualmachineinstance.kubevirt.io/herd');
    await server().kill();
    await Promise.allSettled([created, watch.stop()]);
    await startAgain();
    await kubectl.until('get vmirs herd --no-headers', /^herd +200 +200 +0 /);
    const { items } = await kubectl.json<{ items: Vmi[] }>('get vmi -o json');
    expect(items).toHaveLength(200);
    expect(new Set(items.map(({ metadata }) => metadata.name)).size).toBe(200);
    await kubectl.do('delete vmirs herd --cascade=foreground --timeout=90s');
  }, 180_000);

  it('of the examples is taken', async () => {
    expect(await kubectl(`apply --dry-run=server -f ${example}`)).toBe(
      'virtualmachineinstancereplicaset.kubevirt.io/workers created (server dry run)',
    );
  });

  it('has left nothing behind', clear, 120_000);
});
