import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseExposition } from '@vireo/kube/testing/parseExposition.ts';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { auditedWrites } from './auditedWrites.ts';
import { useVms } from './fixture.ts';
import { vm } from './manifests.ts';

const audit = auditedWrites();
const { kubectl, home, create, console, untilStatus, clear } = useVms(
  '--log-format',
  'json',
  '--log-level',
  'debug',
  ...audit.options,
);
afterAll(() => audit.remove());

/** Every write to a kind, as a watch tells it. */
const KINDS = ['vm', 'vmi', 'pods', 'controllerrevisions', 'events', 'leases', 'nodes', 'kubevirts'];

it('a VM costs at most ten writes from its creation until it runs, and few more until it is ready', async () => {
  // Whatever is done once for all VMs is not of this one.
  await create(vm('before'));
  await kubectl.do('wait vm/before --for=condition=Ready --timeout=60s');
  const columns = 'custom-columns=:kind,:metadata.name,:metadata.resourceVersion,:status.phase';
  const watches = KINDS.map((kind) => kubectl.start(`get ${kind} -A --watch --no-headers -o ${columns}`));
  await Promise.all(watches.map((watch) => watch.until(/\w/)));
  const { metadata } = await kubectl.json<{ metadata: { resourceVersion: string } }>(
    'get --raw /api/v1/namespaces?limit=1',
  );
  const first = Number(metadata.resourceVersion);
  await create(vm('counted'));
  await kubectl.do('wait vm/counted --for=condition=Ready --timeout=60s');
  const last = Number((await kubectl.run('get vm counted -o jsonpath={.metadata.resourceVersion}')).stdout);
  await Promise.all([watches[0]?.until(new RegExp(`counted +${last}\\b`))]);
  const printed = await Promise.all(watches.map(async (watch) => (await watch.stop()).stdout));
  const writes = new Map(
    printed
      .join('')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .map(([kind, name, version, phase]) => ({ kind, name, version: Number(version), phase }))
      .filter(({ version }) => version > first && version <= last)
      .map((write) => [write.version, write]),
  );
  // Nobody wrote anything else: every revision is accounted for.
  expect(writes.size).toBe(last - first);
  const ofVm = [...writes.values()]
    .filter(({ kind = '' }) => !['Event', 'Lease', 'Node', 'KubeVirt'].includes(kind))
    .sort((a, b) => a.version - b.version);
  const runs = ofVm.findIndex(({ kind, phase }) => kind === 'VirtualMachineInstance' && phase === 'Running');
  expect(runs).toBeGreaterThan(0);
  const writers = await audit.writers();
  // What a binding is answered with is not the pod.
  const by = ({ version }: { version: number }): string => writers.get(version) ?? 'scheduler';
  const words = ofVm.map((write) => `${write.kind} by ${by(write)}`).join(', ');
  expect(runs + 1, words).toBeLessThanOrEqual(10);
  expect(ofVm.length, words).toBeLessThanOrEqual(13);
  // Each part writes as who it is, and nobody else does.
  expect([...new Set(ofVm.map(by))].sort(), words).toEqual([
    'kubernetes-admin',
    'scheduler',
    'system:node',
    'system:serviceaccount:kubevirt:kubevirt-controller',
    'vireo:node',
  ]);
}, 120_000);

describe('what people read is what KubeVirt shows', () => {
  it('tables', async () => {
    await create(vm('off', { runStrategy: 'Halted' }));
    await untilStatus('off', 'Stopped');
    expect(await kubectl('get vm -A')).toMatchInlineSnapshot(`
      "NAMESPACE   NAME      AGE   STATUS    READY
      default     before    1s    Running   True
      default     counted   1s    Running   True
      default     off       1s    Stopped   False"
    `);
    expect(await kubectl('get vmi -A')).toMatch(
      /^NAMESPACE +NAME +AGE +PHASE +IP +NODENAME +READY\ndefault +before +1s +Running( +10\.\S+)? +\S+ +True\n/,
    );
    expect(await kubectl('get vmi -A -o wide')).toMatch(
      /^NAMESPACE +NAME +AGE +PHASE +IP +NODENAME +READY +LIVE-MIGRATABLE +PAUSED\ndefault +before +1s +Running( +10\.\S+)? +\S+ +True +(True|False) +\n/,
    );
    expect(withoutSuffix(await kubectl('get pods -A'))).toMatchInlineSnapshot(`
      "NAMESPACE   NAME                          READY   STATUS    RESTARTS   AGE
      default     virt-launcher-before-<random>    1/1     Running   0          1s
      default     virt-launcher-counted-<random>   1/1     Running   0          1s"
    `);
    expect(await kubectl('get kubevirt -A')).toMatchInlineSnapshot(`
      "NAMESPACE   NAME       AGE   PHASE
      kubevirt    kubevirt   1s    Deployed"
    `);
    expect(await kubectl('get deployments,daemonsets -n kubevirt')).toMatchInlineSnapshot(`
      "NAME                              READY   UP-TO-DATE   AVAILABLE   AGE
      deployment.apps/virt-api          1/1     1            1           1s
      deployment.apps/virt-controller   1/1     1            1           1s
      deployment.apps/virt-operator     1/1     1            1           1s

      NAME                          DESIRED   CURRENT   READY   UP-TO-DATE   AVAILABLE   NODE SELECTOR   AGE
      daemonset.apps/virt-handler   1         1         1       1            1           <none>          1s"
    `);
  }, 60_000);

  it('descriptions', async () => {
    const text = await kubectl('describe vmi counted');
    for (const part of [
      /^Name: +counted$/m,
      /^Kind: +VirtualMachineInstance$/m,
      /^ +kubevirt.io\/vm-generation: 1$/m,
      /^ +Node Name: +\S+$/m,
      /^ +Phase: +Running$/m,
      /^ +Virtual Machine Revision Name: +revision-start-vm-<uid>-1$/m,
      /^ +Normal +SuccessfulCreate .* virtualmachine-controller +Created virtual machine pod virt-launcher-counted-/m,
      /^ +Normal +Created .* virt-handler +VirtualMachineInstance defined\.$/m,
      /^ +Normal +Started .* virt-handler +VirtualMachineInstance started\.$/m,
    ])
      expect(text).toMatch(part);
  });

  it('events', async () => {
    const events =
      'get events --sort-by=.metadata.name -o custom-columns=TYPE:.type,REASON:.reason,OBJECT:.involvedObject.kind,NAME:.involvedObject.name,FROM:.source.component,MESSAGE:.message';
    const text = withoutSuffix(await kubectl(events));
    expect(
      text
        .split('\n')
        .filter((line) => line.includes('counted'))
        .map((line) => line.replaceAll(/ +/g, ' ').replace(/ to \S+$/, ' to <node>'))
        .sort(),
    ).toMatchInlineSnapshot(`
      [
        "Normal Created VirtualMachineInstance counted virt-handler VirtualMachineInstance defined.",
        "Normal Scheduled Pod virt-launcher-counted-<random> default-scheduler Successfully assigned default/virt-launcher-counted-<random> to <node>",
        "Normal Started VirtualMachineInstance counted virt-handler VirtualMachineInstance started.",
        "Normal SuccessfulCreate VirtualMachine counted virtualmachine-controller Started the virtual machine by creating the new virtual machine instance counted",
        "Normal SuccessfulCreate VirtualMachineInstance counted virtualmachine-controller Created virtual machine pod virt-launcher-counted-<random>",
      ]
    `);
  });

  it('logs', async () => {
    expect(await kubectl('logs -l vm.kubevirt.io/name=counted --tail=-1')).toContain('vireo: boot sector ready');
  });

  it('what the server says of a VM, which every line names', async () => {
    const log = await readFile(join(home(), 'vireo.log'), 'utf8');
    const lines = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, string>);
    const { uid } = lines.find(({ name }) => name === 'counted') ?? {};
    expect(lines).toContainEqual({
      time: expect.stringMatching(/Z$/),
      level: 'debug',
      message: 'decided',
      kind: 'VirtualMachineInstance',
      namespace: 'default',
      name: 'counted',
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      action: 'prepare',
    });
    expect((await kubectl.run('get vmi counted -o jsonpath={.metadata.uid}')).stdout).toBe(uid);
  });

  it('metrics', async () => {
    const metrics = parseExposition((await kubectl.run('get --raw /metrics')).stdout);
    const of = (name: string) =>
      metrics.get(name)?.samples.find(({ labels }) => (labels.name ?? labels.vmi) === 'counted');
    expect(of('kubevirt_vm_info')?.labels).toMatchObject({ status: 'running', status_group: 'running' });
    expect(of('kubevirt_vmi_info')?.labels).toMatchObject({ phase: 'running', evictable: 'true', outdated: 'false' });
    expect(of('kubevirt_vmi_memory_domain_bytes')?.value).toBe(32 << 20);
    expect(of('kubevirt_vmi_launcher_memory_overhead_bytes')?.value).toBeGreaterThan(32 << 20);
    for (const name of ['cpu_usage_seconds_total', 'memory_resident_bytes'])
      expect(of(`kubevirt_vmi_${name}`)?.value, name).toBeGreaterThan(0);
    // Counted in hundredths, and this guest may need less.
    expect(of('kubevirt_vmi_vcpu_seconds_total')).toMatchObject({ labels: { id: '0' }, value: expect.any(Number) });
    // Its boot sector is all that it reads.
    expect(of('kubevirt_vmi_storage_read_traffic_bytes_total')).toMatchObject({
      labels: { drive: 'root' },
      value: 512,
    });
    const starts = metrics.get('kubevirt_vmi_phase_transition_time_from_creation_seconds')?.samples ?? [];
    const counts = starts.filter(({ name, labels }) => name.endsWith('_count') && labels.phase === 'Running');
    expect(counts).toMatchObject([{ value: 2 }]);
    expect(metrics.get('namespace:kubevirt_vm:sum')?.samples).toMatchObject([{ value: 3 }]);
    const containers = new Set(
      metrics.get('kubevirt_rest_client_requests_total')?.samples.map((s) => s.labels.container),
    );
    expect([...containers].sort()).toEqual(['virt-api', 'virt-controller', 'virt-handler']);

    // A console that is open is counted, and when it closes it is remembered.
    const counted = await console('counted');
    const open = parseExposition((await kubectl.run('get --raw /metrics')).stdout);
    expect(open.get('kubevirt_console_active_connections')?.samples).toMatchObject([
      { labels: { namespace: 'default', vmi: 'counted' }, value: 1 },
    ]);
    await counted.close();
    await vi.waitFor(async () => {
      const closed = parseExposition((await kubectl.run('get --raw /metrics')).stdout);
      expect(closed.get('kubevirt_console_active_connections')?.samples).toEqual([]);
      expect(closed.get('kubevirt_vmi_last_api_connection_timestamp_seconds')?.samples).toMatchObject([
        { labels: { vmi: 'counted' } },
      ]);
    });
  });

  it('and nothing when all is gone', clear, 60_000);
});

/** Names of pods end in five letters that nobody can foresee. */
const withoutSuffix = (text: string): string => text.replaceAll(/(virt-launcher-[a-z]+)-[a-z0-9]{5}\b/g, '$1-<random>');
