import type { Node, ObjectMeta, Persisted, Pod } from '@vireo/api';
import { deepFreeze } from '@vireo/api/json.ts';
import type { Migration, MigrationStatus } from '@vireo/api/kinds/kubevirt/migration.ts';
import type { VmiStatus } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { MigrationPolicy } from '@vireo/api/kinds/migrations/migrationPolicy.ts';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { clusterConfig } from '@vireo/hypervisor';
import { describe, expect, it } from 'vitest';
import { deleting, frozen, vmiWith, vmWith } from '../testing/objects.ts';
import { launcherPod } from '../vmi/launcherPod.ts';
import { blockedBy } from './blocked.ts';
import { canHandOff, handoffPatch } from './handoff.ts';
import { limitsOf, migrationConfiguration, policyOf } from './policy.ts';
import { admitted } from './queue.ts';
import { surplusMigrations } from './retention.ts';
import { failureOf, migrationStatus, reachedPhases } from './status.ts';
import { targetPod } from './targetPod.ts';
import { backOffMs, blockedTimeout, podTimeout, preparationTimeout } from './timeouts.ts';

const NOW = new Date('2026-01-01T01:00:00Z');
const agoSeconds = (seconds: number): string => new Date(NOW.getTime() - seconds * 1000).toISOString();

const migrationWith = (
  status: MigrationStatus = {},
  metadata: ObjectMeta = {},
  spec: Partial<Migration['spec']> = {},
): Migration =>
  frozen({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceMigration',
    metadata: { name: 'move', namespace: 'shop', uid: 'u', creationTimestamp: agoSeconds(600), ...metadata },
    spec: { vmiName: 'web', ...spec },
    status,
  });

const podWith = (status: Pod['status'] = {}, metadata: ObjectMeta = {}, nodeName: string | undefined = 'b') =>
  deepFreeze(
    persisted<Pod>({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'virt-launcher-web-t',
        namespace: 'shop',
        uid: 'pod',
        creationTimestamp: agoSeconds(60),
        ...metadata,
      },
      spec: { containers: [{ name: 'compute', image: 'i' }], ...(nodeName && { nodeName }) },
      status,
    }),
  );
const READY: Pod['status'] = { phase: 'Running', conditions: [{ type: 'ContainersReady', status: 'True' }] };

type State = NonNullable<VmiStatus['migrationState']>;
const moving = (state?: State, status: VmiStatus = {}) =>
  vmiWith({
    phase: 'Running',
    nodeName: 'a',
    ...(state && { migrationState: { migrationUid: 'u', ...state } }),
    ...status,
  });

const onClaim = (claimName: string) =>
  vmiWith(
    { phase: 'Running', nodeName: 'a' },
    {},
    { volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] },
  );
const withClaim = (claimName: string) => {
  const pod = podWith(READY);
  return { ...pod, spec: { ...pod.spec!, volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] } };
};

const facts = (
  migration: Migration,
  vmi = moving(),
  target: Persisted<Pod> | undefined = podWith(READY),
  more = {},
) => ({
  migration,
  vmi,
  target,
  isAttached: true,
  isOtherUnderWay: false,
  ...more,
});

describe('the phases of a migration', () => {
  const begun = { targetNode: 'b', targetNodeAddress: '192.0.2.1', startTimestamp: agoSeconds(9) };
  it.each<[string, string, Partial<ReturnType<typeof facts>>, string[]]>([
    ['a new one waits for its turn', '', { target: undefined }, ['Pending']],
    ['one whose pod was made', '', { target: podWith() }, ['Pending', 'Scheduling']],
    ['one whose pod is ready', 'Scheduling', {}, ['Scheduled']],
    ['one that waits for hotplugged volumes', 'Scheduling', { isAttached: false }, []],
    ['one that waits to be handed over', 'Scheduled', {}, []],
    ['one that was handed over', 'Scheduled', { vmi: moving({ targetNode: 'b' }) }, ['PreparingTarget']],
    ['one whose guest moves', 'PreparingTarget', { vmi: moving(begun) }, ['TargetReady', 'Running']],
    ['one whose guest still moves', 'Running', { vmi: moving(begun) }, []],
    ['one whose guest has moved', 'Running', { vmi: moving({ ...begun, completed: true }) }, ['Succeeded']],
    [
      'one whose guest moved faster than anybody looked',
      'Scheduled',
      { vmi: moving({ completed: true }) },
      ['PreparingTarget', 'TargetReady', 'Running', 'Succeeded'],
    ],
    ['one of a VMI that another has moved', 'Scheduled', { vmi: moving({ ...begun, migrationUid: 'v' }) }, []],
  ])('%s', (_, phase, more, expected) => {
    expect(reachedPhases({ ...facts(migrationWith({ phase })), ...more })).toEqual(expected);
  });

  it('are written with their times, and the state of the VMI at the end', () => {
    const vmi = moving({ completed: true, sourceNode: 'a' });
    const status = migrationStatus(facts(migrationWith({ phase: 'Running' }), vmi), {}, NOW);
    expect(status).toEqual({
      phase: 'Succeeded',
      phaseTransitionTimestamps: [{ phase: 'Succeeded', phaseTransitionTimestamp: '2026-01-01T01:00:00Z' }],
      migrationState: { migrationUid: 'u', completed: true, sourceNode: 'a' },
    });
  });

  it('say why a migration failed, also where no node ever had it', () => {
    const status = migrationStatus(facts(migrationWith({ phase: 'Scheduling' })), { failure: 'no luck' }, NOW);
    expect(status).toMatchObject({ phase: 'Failed', migrationState: { failureReason: 'no luck' } });
  });
});

describe('a migration', () => {
  const started = { startTimestamp: agoSeconds(9) };
  const gone = undefined;
  const down = podWith({ phase: 'Failed' });
  it.each<[string, Migration, Partial<ReturnType<typeof facts>>, object | undefined]>([
    ['that goes well goes on', migrationWith({ phase: 'Running' }), { vmi: moving(started) }, undefined],
    [
      'fails with its VMI',
      migrationWith({ phase: 'Running' }),
      { vmi: moving(started, { phase: 'Failed' }) },
      { message: 'Migration failed vmi shutdown during migration.' },
    ],
    [
      'that is deleted before it was handed over is cancelled',
      migrationWith({ phase: 'Scheduling' }, deleting),
      {},
      { message: 'Migration failed due to being canceled' },
    ],
    [
      'that is deleted later has to be stopped',
      migrationWith({ phase: 'Running' }, deleting),
      { vmi: moving(started) },
      { toStop: { reason: 'Live migration has been aborted', isAbort: true } },
    ],
    [
      'that is deleted too late succeeds',
      migrationWith({ phase: 'Running' }, deleting),
      { vmi: moving({ completed: true }) },
      undefined,
    ],
    [
      'fails with its target pod',
      migrationWith({ phase: 'Scheduling' }),
      { target: down },
      { message: 'Migration failed because target pod shutdown during migration' },
    ],
    [
      'whose target pod goes on the way has to be stopped',
      migrationWith({ phase: 'Running' }),
      { vmi: moving(started), target: down },
      { toStop: { reason: 'Target pod is down', isAbort: false } },
    ],
    [
      'fails without its target pod',
      migrationWith({ phase: 'Scheduled' }),
      { target: gone },
      { message: 'Migration target pod was removed during active migration.' },
    ],
    ['that has no target pod yet waits', migrationWith({ phase: 'Pending' }), { target: gone }, undefined],
    [
      'fails if its state is cleared',
      migrationWith({ phase: 'Running' }),
      {},
      { message: "VMI's migration state was cleared during the active migration." },
    ],
    [
      'fails if another takes its place',
      migrationWith({ phase: 'Running' }),
      { vmi: moving({ migrationUid: 'v' }) },
      { message: "VMI's migration state was taken over by another migration job during active migration." },
    ],
    [
      'fails by the word of its source',
      migrationWith({ phase: 'Running' }),
      { vmi: moving({ ...started, failed: true, completed: true }) },
      { message: 'source node reported migration failed' },
    ],
    [
      'does not begin while another is under way',
      migrationWith(),
      { target: gone, isOtherUnderWay: true, vmi: moving({ migrationUid: 'v' }) },
      { message: 'VMI is not eligible for migration because another migration job is in progress.' },
    ],
    [
      'fails if the volumes of the VMI are others than those of its target pod',
      migrationWith({ phase: 'Scheduling' }),
      { vmi: onClaim('new'), target: withClaim('old') },
      { message: 'The volumes of the VMI were changed while its migration was being prepared.' },
    ],
    [
      'goes on with the volumes of its target pod',
      migrationWith({ phase: 'Scheduling' }),
      { vmi: onClaim('new'), target: withClaim('new') },
      undefined,
    ],
  ])('%s', (_, migration, more, expected) => {
    const failure = failureOf({ ...facts(migration), ...more });
    if (expected) expect(failure).toMatchObject(expected);
    else expect(failure).toBeUndefined();
  });

  it('is handed over from the node of the guest to another, when the pod there is ready', () => {
    const source = podWith(READY, {}, 'a');
    const can = (vmi: Parameters<typeof canHandOff>[0], from = source, to = podWith(READY)) =>
      canHandOff(vmi, from, to);
    expect(can(moving())).toBe(true);
    expect(can(moving(undefined, { phase: 'Unknown' }))).toBe(false);
    expect(can(vmiWith({ phase: 'Running', nodeName: 'a' }, deleting))).toBe(false);
    expect(can(moving(), podWith(READY, {}, 'c'))).toBe(false);
    expect(can(moving(), source, podWith({ phase: 'Pending' }))).toBe(false);
    expect(can(moving(), source, podWith(READY, {}, 'a'))).toBe(false);
  });

  it('takes the place of the one before in the VMI', () => {
    const vmi = moving({
      migrationUid: 'old',
      failed: true,
      migrationConfiguration: { network: 'n', progressTimeout: 1 },
    });
    const patch = handoffPatch({
      vmi,
      migration: migrationWith(),
      source: podWith(READY, { name: 's' }, 'a'),
      target: podWith(READY, { name: 't' }),
      configuration: { progressTimeout: 2 },
    });
    const both = {
      migrationUID: 'u',
      domainName: 'web',
      domainNamespace: 'shop',
      virtualMachineInstanceUID: 'vmi-uid',
    };
    expect(patch.status).toEqual({
      migrationState: {
        migrationUid: 'u',
        failed: null,
        sourceNode: 'a',
        targetNode: 'b',
        sourcePod: 's',
        targetPod: 't',
        migrationConfiguration: { network: null, progressTimeout: 2 },
        sourceState: { ...both, node: 'a', pod: 's' },
        targetState: { ...both, node: 'b', pod: 't' },
      },
    });
  });

  it.each([
    ['the node that the user has chosen', { 'harvesterhci.io/migrationTargetNodeName': 'b' }, 'b'],
    ['none where nobody has chosen one, whatever was left there', {}, null],
  ])('names %s to clients of Harvester', (_, annotations, expected) => {
    const { metadata } = handoffPatch({
      vmi: moving(),
      migration: migrationWith({}, { annotations }),
      source: podWith(READY, { name: 's' }, 'a'),
      target: podWith(READY, { name: 't' }),
      configuration: {},
    });
    expect(metadata).toMatchObject({
      annotations: {
        'harvesterhci.io/migrationState': 'Migrating',
        'harvesterhci.io/migrationUID': 'u',
        'harvesterhci.io/migrationTargetNodeName': expected,
      },
    });
  });

  it('tells of both sides what is there', () => {
    const withState = (claimName: string, nodeName: string) => {
      const pod = podWith(READY, { name: claimName }, nodeName);
      const volumes = [{ name: 'vm-state', persistentVolumeClaim: { claimName } }];
      return { ...pod, spec: { ...pod.spec!, nodeSelector: { zone: 'x' }, volumes } };
    };
    const { status } = handoffPatch({
      vmi: moving(undefined, { selinuxContext: 'none' }),
      migration: migrationWith(),
      source: withState('from', 'a'),
      target: withState('to', 'b'),
      attachmentUid: 'plugged',
      configuration: {},
    });
    expect(status).toMatchObject({
      migrationState: {
        sourcePersistentStatePVCName: 'from',
        targetPersistentStatePVCName: 'to',
        targetAttachmentPodUID: 'plugged',
        sourceState: { persistentStatePVCName: 'from', nodeSelectors: { zone: 'x' }, selinuxContext: 'none' },
        targetState: { persistentStatePVCName: 'to', attachmentPodUID: 'plugged', selinuxContext: 'none' },
      },
    });
  });
});

describe('of the migrations that wait', () => {
  const queued = (name: string, node: string, priority?: string, phase = 'Pending', ago = 60) => ({
    migration: migrationWith(
      { phase },
      { name, uid: name, creationTimestamp: agoSeconds(ago) },
      { ...(priority && { priority }) },
    ),
    node,
    hasTargetPod: false,
  });
  const names = (list: ReturnType<typeof admitted>) => list.map(({ migration }) => migration.metadata.name);
  const limits = { perCluster: 3, perNode: 2 };

  it('the more important begin first, then the older ones', () => {
    const all = [
      queued('young', 'a', undefined, '', 1),
      queued('old', 'b', undefined, 'Pending', 99),
      queued('evacuation', 'a', 'system-critical', '', 1),
      queued('by-hand', 'c', 'user-triggered'),
    ];
    expect(names(admitted(all, limits))).toEqual(['evacuation', 'by-hand', 'old']);
  });

  it('one whose node has no place left keeps nobody waiting', () => {
    const all = [
      queued('r1', 'a', undefined, 'Running'),
      { ...queued('r2', 'a'), hasTargetPod: true },
      queued('waits', 'a', 'system-critical'),
      queued('goes', 'b'),
    ];
    expect(names(admitted(all, limits))).toEqual(['goes']);
  });

  it('none begins when the cluster has no place left, and those that have ended take none', () => {
    const busy = ['x', 'y', 'z'].map((node) => queued(node, node, undefined, 'Scheduling'));
    expect(names(admitted([...busy, queued('waits', 'b')], limits))).toEqual([]);
    const ended = ['x', 'y', 'z'].map((node) => queued(node, node, undefined, 'Failed'));
    expect(names(admitted([...ended, queued('goes', 'b')], limits))).toEqual(['goes']);
  });
});

describe('the settings of a migration', () => {
  const cluster = (migrations: object) =>
    clusterConfig({ apiVersion: '', kind: '', metadata: {}, spec: { configuration: { migrations } } });
  const policy = (name: string, spec: Partial<MigrationPolicy['spec']>): MigrationPolicy => ({
    apiVersion: 'migrations.kubevirt.io/v1alpha1',
    kind: 'MigrationPolicy',
    metadata: { name },
    spec: { selectors: {}, ...spec },
  });

  it('are the policy’s before the cluster’s before the defaults', () => {
    const config = cluster({ progressTimeout: 10, completionTimeoutPerGiB: 20 });
    const resolved = migrationConfiguration(config, policy('p', { completionTimeoutPerGiB: 30, allowPostCopy: true }));
    expect(resolved).toMatchObject({
      maxDowntimeMs: 900,
      progressTimeout: 10,
      completionTimeoutPerGiB: 30,
      allowPostCopy: true,
      allowWorkloadDisruption: true,
    });
    expect(resolved).not.toHaveProperty('selectors');
  });

  it.each([
    [{}, undefined, false],
    [{ allowPostCopy: true }, undefined, true],
    [{ allowPostCopy: true, allowWorkloadDisruption: false }, undefined, false],
    [{ allowWorkloadDisruption: true }, { allowPostCopy: false }, false],
    [{}, { allowPostCopy: true, allowWorkloadDisruption: false }, false],
  ])('disruption with %j and the policy %j: %s', (migrations, spec, expected) => {
    const resolved = migrationConfiguration(cluster(migrations), spec && policy('p', spec));
    expect(resolved.allowWorkloadDisruption).toBe(expected);
  });

  it('limit five in the cluster and two away from a node, unless the cluster says otherwise', () => {
    expect(limitsOf(cluster({}))).toEqual({ perCluster: 5, perNode: 2 });
    expect(limitsOf(cluster({ parallelMigrationsPerCluster: 1 }))).toEqual({ perCluster: 1, perNode: 2 });
  });

  it.each<[string, Record<string, MigrationPolicy['spec']['selectors']>, string | undefined]>([
    ['selectors that name nothing match nothing', { p: {} }, undefined],
    ['all labels have to be there', { p: { virtualMachineInstanceSelector: { app: 'web', tier: 'x' } } }, undefined],
    [
      'both selectors have to match',
      { p: { virtualMachineInstanceSelector: { app: 'web' }, namespaceSelector: { x: 'y' } } },
      undefined,
    ],
    [
      'most labels of the VMI win',
      { n: { namespaceSelector: { team: 'a', site: 'b' } }, v: { virtualMachineInstanceSelector: { app: 'web' } } },
      'v',
    ],
    [
      'then most of the namespace',
      {
        one: { virtualMachineInstanceSelector: { app: 'web' } },
        two: { virtualMachineInstanceSelector: { app: 'web' }, namespaceSelector: { team: 'a' } },
      },
      'two',
    ],
    ['then the first name', { b: { namespaceSelector: { team: 'a' } }, a: { namespaceSelector: { team: 'a' } } }, 'a'],
  ])('%s', (_, selectors, expected) => {
    const policies = Object.entries(selectors).map(([name, each]) => policy(name, { selectors: each }));
    const vmi = vmiWith({}, { labels: { app: 'web' } });
    expect(policyOf(policies, vmi, { team: 'a', site: 'b' })?.metadata.name).toBe(expected);
  });
});

describe('time', () => {
  const unschedulable: Pod['status'] = {
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }],
  };
  it.each<[Pod['status'], Record<string, string>, number, string]>([
    [unschedulable, {}, 240, 'unschedulable pod shop/virt-launcher-web-t timeout period exceeded'],
    [{ phase: 'Pending' }, {}, 840, 'pending pod shop/virt-launcher-web-t timeout period exceeded'],
    [
      unschedulable,
      { 'kubevirt.io/migrationUnschedulablePodTimeoutSeconds': '50' },
      -10,
      'unschedulable pod shop/virt-launcher-web-t timeout period exceeded',
    ],
    [
      { phase: 'Pending' },
      { 'kubevirt.io/migrationPendingPodTimeoutSeconds': 'soon' },
      840,
      'pending pod shop/virt-launcher-web-t timeout period exceeded',
    ],
  ])('a target pod that is %j, with %j, has %s seconds', (status, annotations, seconds, message) => {
    const timeout = podTimeout(migrationWith({}, { annotations }), podWith(status), NOW.getTime());
    expect(timeout).toEqual({ remainingMs: seconds * 1000, message });
  });

  it('nodes have 15 minutes to begin', () => {
    const phaseTransitionTimestamps = [{ phase: 'PreparingTarget', phaseTransitionTimestamp: agoSeconds(100) }];
    const timeout = preparationTimeout(migrationWith({ phaseTransitionTimestamps }), NOW.getTime());
    expect(timeout?.remainingMs).toBe(800_000);
    expect(preparationTimeout(migrationWith(), NOW.getTime())).toBeUndefined();
  });

  const ended = (phase: string, ago: number) =>
    migrationWith({ phase, phaseTransitionTimestamps: [{ phase, phaseTransitionTimestamp: agoSeconds(ago) }] });
  const evacuation = { 'kubevirt.io/evacuationMigration': 'a' };
  it.each<[string, Record<string, string>, Migration[], number]>([
    ['none before', evacuation, [], 0],
    ['one failure', evacuation, [ended('Failed', 5)], 15],
    ['three failures', evacuation, [ended('Failed', 50), ended('Failed', 5), ended('Failed', 200)], 75],
    ['a success since', evacuation, [ended('Failed', 50), ended('Succeeded', 5)], 0],
    ['a failure long ago', evacuation, [ended('Failed', 60)], 0],
    ['a failure, and somebody asked by hand', {}, [ended('Failed', 5)], 0],
    [
      'a failure, and a test that does not wait',
      { ...evacuation, 'kubevirt.io/func-test-ignore-migration-backoff': '' },
      [ended('Failed', 5)],
      0,
    ],
  ])('back-off after %s', (_, annotations, before, seconds) => {
    expect(backOffMs(migrationWith({}, { annotations }), before, NOW.getTime())).toBe(seconds * 1000);
  });
});

it.each([
  [{}, undefined],
  [{ snapshotInProgress: 's' }, 'Waiting for snapshot s to complete'],
  [{ memoryDumpRequest: { claimName: 'd', phase: 'InProgress' } }, 'Waiting for the memory dump to PVC d to complete'],
  [{ memoryDumpRequest: { claimName: 'd', phase: 'Completed' } }, undefined],
])('a migration of a VM with %j waits: %s', (status, message) => {
  expect(blockedBy(vmWith({}, status))?.message).toBe(message);
  expect(blockedBy(undefined)).toBeUndefined();
});

it('a migration of a guest waits until its file systems are thawed', () => {
  const message = (status: VmiStatus): string | undefined => blockedBy(vmWith(), moving(undefined, status))?.message;
  expect(message({ fsFreezeStatus: 'frozen' })).toBe("Waiting for the guest's file systems to be thawed");
  expect(message({})).toBeUndefined();
});

describe('a migration that waits for a memory dump', () => {
  const dump = blockedBy(vmWith({}, { memoryDumpRequest: { claimName: 'd', phase: 'InProgress' } }));
  const since = (seconds: number): MigrationStatus => ({
    conditions: [{ type: 'migrationBlockedByUtilityVolumes', status: 'True', lastTransitionTime: agoSeconds(seconds) }],
  });
  it.each<[string, MigrationStatus, Record<string, string>, number | undefined, number]>([
    ['from now on', {}, {}, undefined, 150],
    ['for a while', since(100), {}, undefined, 50],
    ['for too long', since(151), {}, undefined, -1],
    ['for as long as the cluster says', since(100), {}, 100, 0],
    [
      'for as long as its annotation says',
      since(5),
      { 'kubevirt.io/migrationUtilityVolumesTimeoutSeconds': '7' },
      100,
      2,
    ],
  ])('%s', (_, status, annotations, clusterSeconds, seconds) => {
    const timeout = blockedTimeout(
      migrationWith(status, { annotations }),
      dump as never,
      clusterSeconds,
      NOW.getTime(),
    );
    expect(timeout?.remainingMs).toBe(seconds * 1000);
    expect(timeout?.message).toMatch(/^timed out after \d+ seconds: Waiting for the memory dump to PVC d to complete$/);
  });

  it('waits for a snapshot without end', () => {
    const snapshot = blockedBy(vmWith({}, { snapshotInProgress: 's' }));
    expect(blockedTimeout(migrationWith(), snapshot as never, 1, NOW.getTime())).toBeUndefined();
  });
});

it('the five newest migrations of a VMI that have ended are kept', () => {
  const all = [1, 2, 3, 4, 5, 6, 7].map((age) =>
    migrationWith({ phase: 'Failed' }, { name: `m${age}`, creationTimestamp: agoSeconds(age) }),
  );
  const open = migrationWith({ phase: 'Running' }, { name: 'open', creationTimestamp: agoSeconds(9) });
  expect(surplusMigrations([...all, open]).map(({ metadata }) => metadata.name)).toEqual(['m6', 'm7']);
});

describe('a target pod', () => {
  const config = clusterConfig(undefined);
  const vmi = vmiWith({ phase: 'Running', nodeName: 'a' }, {}, { nodeSelector: { zone: 'x' } });
  const source = persisted<Pod>({ ...launcherPod(vmi, config), apiVersion: 'v1', kind: 'Pod' } as Pod);
  const labels = {
    'host-model-cpu.node.kubevirt.io/Milan': 'true',
    'host-model-required-features.node.kubevirt.io/svm': 'true',
    'cpu-vendor.node.kubevirt.io/AMD': 'true',
  };
  const sourceNode = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a', labels } };
  const made = (spec: Partial<Migration['spec']> = {}, from = source, settings = config) =>
    targetPod({ vmi, migration: migrationWith({}, {}, spec), source: from, sourceNode, config: settings });

  it('is the launcher again, by another name, on another node', () => {
    const { metadata, spec } = made();
    const again = launcherPod(vmi, config);
    expect(spec?.containers).toEqual(again.spec?.containers);
    expect(metadata.name).not.toBe(again.metadata.name);
    expect(metadata.name).toMatch(/^virt-launcher-web-/);
    expect(metadata.labels).toMatchObject({ 'kubevirt.io/migrationJobUID': 'u', 'kubevirt.io/created-by': 'vmi-uid' });
    expect(metadata.annotations).toMatchObject({ 'kubevirt.io/migrationJobName': 'move' });
    expect(spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution).toEqual([
      {
        labelSelector: { matchLabels: { 'kubevirt.io/created-by': 'vmi-uid' } },
        topologyKey: 'kubernetes.io/hostname',
      },
    ]);
  });

  it('has the image that a test of pods that do not get ready wants', () => {
    const image = 'registry.example/none:1';
    const annotations = { 'kubevirt.io/func-test-migration-target-image-override': image };
    const { metadata, spec } = targetPod({
      vmi,
      migration: migrationWith({}, { annotations }),
      source,
      sourceNode,
      config,
    });
    expect(spec?.containers.map((container) => container.image)).toEqual([image]);
    expect(metadata.annotations).toMatchObject(annotations);
  });

  it('goes where whoever asks for it wants, and where the VM lets it', () => {
    expect(made({ addedNodeSelector: { zone: 'y', disk: 'fast' } }).spec?.nodeSelector).toMatchObject({
      zone: 'x',
      disk: 'fast',
    });
  });

  it('has the processor that the guest has seen, also where it has moved before', () => {
    const expected = {
      'cpu-model-migration.node.kubevirt.io/Milan': 'true',
      'cpu-feature.node.kubevirt.io/svm': 'true',
      'cpu-vendor.node.kubevirt.io/AMD': 'true',
    };
    const first = made();
    expect(first.spec?.nodeSelector).toMatchObject(expected);
    const elsewhere = {
      ...sourceNode,
      metadata: { name: 'b', labels: { 'host-model-cpu.node.kubevirt.io/Rome': 'true' } },
    };
    const moved = persisted<Pod>({ ...first, apiVersion: 'v1', kind: 'Pod' } as Pod);
    const second = targetPod({ vmi, migration: migrationWith(), source: moved, sourceNode: elsewhere, config });
    expect(second.spec?.nodeSelector).toMatchObject({ 'cpu-model-migration.node.kubevirt.io/Milan': 'true' });
    expect(second.spec?.nodeSelector).not.toHaveProperty('cpu-model-migration.node.kubevirt.io/Rome');
  });

  it('has the version of the machine type that the guest runs with', () => {
    const running = vmiWith({ phase: 'Running', nodeName: 'a', machine: { type: 'pc-q35-7.2' } });
    const on = (machines: string[]) => ({
      ...sourceNode,
      metadata: {
        name: 'a',
        labels: Object.fromEntries(machines.map((each) => [`machine-type.node.kubevirt.io/${each}`, 'true'])),
      },
    });
    const selector = (node: Node): string[] =>
      Object.keys(
        targetPod({ vmi: running, migration: migrationWith(), source, sourceNode: node, config }).spec?.nodeSelector ??
          {},
      );
    expect(selector(on(['q35', 'pc-q35-7.2']))).toContain('machine-type.node.kubevirt.io/pc-q35-7.2');
    expect(selector(on(['q35']))).not.toContain('machine-type.node.kubevirt.io/pc-q35-7.2');
  });

  it('runs on what the source runs on, whatever the cluster has been set to since', () => {
    const emulated = persisted<Pod>({
      ...launcherPod(vmi, { ...config, useEmulation: true }),
      apiVersion: 'v1',
      kind: 'Pod',
    } as Pod);
    const { spec } = made({}, emulated);
    expect(spec?.containers[0]?.command).toContain('--allow-emulation');
    expect(Object.keys(spec?.nodeSelector ?? {}).some((label) => label.startsWith('cpu-model-migration'))).toBe(false);
  });
});
