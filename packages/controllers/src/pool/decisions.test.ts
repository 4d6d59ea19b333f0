import { type ControllerRevision, type Persisted, type PersistentVolumeClaim, timestamp } from '@vireo/api';
import type { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import type { Vm, VmStatus } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import {
  KEPT_FOR_INDEX_LABEL,
  KEPT_FOR_POOL_LABEL,
  POOL_DELETION_ANNOTATION,
  POOL_REVISION_LABEL,
} from '@vireo/api/kinds/pool/names.ts';
import { describe, expect, it } from 'vitest';
import { deleting, frozen } from '../testing/objects.ts';
import { memberVmi, memberWith, poolWith } from '../testing/pools.ts';
import { isReadyNow } from '../testing/sets.ts';
import { healedInMs } from './autoheal.ts';
import { foreignDisks, indexState, keptDisks, keptLabels, type Lookup } from './disks.ts';
import { indexedSpec } from './indexedSpec.ts';
import { type IndexState, indexOf, nextIndices } from './indices.ts';
import { maxUnavailable, type PoolSpec } from './pool.ts';
import { needsMark, preservesState } from './preservation.ts';
import { currentRevision, type Revision, unusedRevisions } from './revision.ts';
import { select } from './selection.ts';
import { isDown, isOutdatedVm, planUpdate, vmiUpdate } from './update.ts';
import { updatePatch } from './vmFromPool.ts';

const name = ({ metadata }: Vm | Vmi): string => metadata.name;

describe('indices', () => {
  it.each([
    ['web-0', 0],
    ['web-12', 12],
    ['a-b-3', 3],
    ['web', undefined],
    ['web-', undefined],
    ['web-01', undefined],
    ['web-x1', undefined],
  ])('that of %s is %s', (given, index) => expect(indexOf(given)).toBe(index));

  it.each<[string, IndexState[], number, readonly number[], boolean, readonly number[]]>([
    ['the lowest free ones', ['taken', 'free', 'taken', 'free', 'free'], 2, [1, 3], false, []],
    ['those after what is taken', ['taken', 'taken'], 2, [2, 3], false, []],
    ['those after what others have disks for', ['foreign', 'free', 'foreign'], 2, [1, 3], false, [0, 2]],
    ['not those that are being cleared, which are waited for', ['clearing', 'free'], 2, [1], true, []],
    ['none where all that are wanted are being cleared', ['clearing'], 1, [], true, []],
  ])('new VMs get %s', (_, states, count, indices, isWaiting, foreign) => {
    expect(nextIndices(count, (index) => states[index] ?? 'free')).toEqual({ indices, isWaiting, foreign });
  });
});

describe('the spec of a VM', () => {
  const volumes = [
    { name: 'own', dataVolume: { name: 'root' } },
    { name: 'ownClaim', persistentVolumeClaim: { claimName: 'root' } },
    { name: 'shared', persistentVolumeClaim: { claimName: 'common' } },
    { name: 'config', configMap: { name: 'c' } },
    { name: 'secret', secret: { secretName: 's' } },
    { name: 'seed', cloudInitNoCloud: { secretRef: { name: 'u' }, networkDataSecretRef: { name: 'n' } } },
    { name: 'drive', cloudInitConfigDrive: { secretRef: { name: 'u' }, userData: 'x' } },
    { name: 'answers', sysprep: { configMap: { name: 'c' }, secret: { name: 's' } } },
  ];
  const spec = (nameGeneration?: PoolSpec['nameGeneration']): PoolSpec =>
    poolWith({ nameGeneration } as Partial<PoolSpec>, {}, {
      template: { spec: { domain: { devices: {} }, volumes } },
      dataVolumeTemplates: [{ metadata: { name: 'root' }, spec: {} }],
    } as Partial<Vm['spec']>).spec;
  const own = [
    { name: 'own', dataVolume: { name: 'root-7' } },
    { name: 'ownClaim', persistentVolumeClaim: { claimName: 'root-7' } },
    { name: 'shared', persistentVolumeClaim: { claimName: 'common' } },
  ];

  it('has DataVolumes of its own, and shares everything else', () => {
    const indexed = indexedSpec(spec(), 7);
    expect(indexed.dataVolumeTemplates).toEqual([{ metadata: { name: 'root-7' }, spec: {} }]);
    expect(indexed.template.spec?.volumes).toEqual([...own, ...volumes.slice(3)]);
  });

  it('has ConfigMaps and Secrets of its own where the pool says so', () => {
    const both = { appendIndexToConfigMapRefs: true, appendIndexToSecretRefs: true };
    expect(indexedSpec(spec(both), 7).template.spec?.volumes).toEqual([
      ...own,
      { name: 'config', configMap: { name: 'c-7' } },
      { name: 'secret', secret: { secretName: 's-7' } },
      { name: 'seed', cloudInitNoCloud: { secretRef: { name: 'u-7' }, networkDataSecretRef: { name: 'n-7' } } },
      { name: 'drive', cloudInitConfigDrive: { secretRef: { name: 'u-7' }, userData: 'x' } },
      { name: 'answers', sysprep: { configMap: { name: 'c-7' }, secret: { name: 's-7' } } },
    ]);
  });
});

describe('the disks of an index', () => {
  const pool = poolWith({}, {}, { dataVolumeTemplates: [{ metadata: { name: 'root' }, spec: {} }] } as Partial<
    Vm['spec']
  >);
  const by = (kind: string, owner: string, uid: string) => ({
    ownerReferences: [{ apiVersion: 'x/v1', kind, name: owner, uid, controller: true }],
  });
  const disk = (metadata: object = {}) =>
    frozen({ apiVersion: 'v1', kind: 'Disk', metadata: { name: 'root-0', uid: 'disk', ...metadata } });
  const keptFor = (uid: string, index: number) => ({
    labels: { [KEPT_FOR_POOL_LABEL]: uid, [KEPT_FOR_INDEX_LABEL]: String(index) },
  });
  const kept = keptFor('pool-uid', 0);
  const lookup = (found: Partial<Record<'vms' | 'dataVolumes' | 'claims', unknown>>): Lookup => ({
    vm: (each) => (found.vms as Vm[] | undefined)?.find((vm) => name(vm) === each),
    dataVolume: (each) => (each === 'root-0' ? (found.dataVolumes as Persisted<DataVolume> | undefined) : undefined),
    claim: (each) => (each === 'root-0' ? (found.claims as Persisted<PersistentVolumeClaim> | undefined) : undefined),
    disksOf: () => ({ dataVolumes: [], claims: [] }),
    stateClaims: () => [],
  });
  it.each<[IndexState, string, Lookup]>([
    ['free', 'there are none', lookup({})],
    ['free', 'they were kept', lookup({ dataVolumes: disk(kept), claims: disk(by('DataVolume', 'root-0', 'disk')) })],
    ['free', 'a claim was kept', lookup({ claims: disk(kept) })],
    ['foreign', 'a claim is nobody’s', lookup({ claims: disk() })],
    [
      'foreign',
      'a DataVolume is nobody’s',
      lookup({ dataVolumes: disk(), claims: disk(by('DataVolume', 'root-0', 'disk')) }),
    ],
    ['foreign', 'another pool has kept one', lookup({ dataVolumes: disk(keptFor('other', 0)) })],
    ['foreign', 'one was kept for another number', lookup({ dataVolumes: disk(keptFor('pool-uid', 1)) })],
    ['taken', 'there is a VM', lookup({ vms: [memberWith('web-0')] })],
    [
      'taken',
      'another VM has them',
      lookup({ vms: [memberWith('db')], dataVolumes: disk(by('VirtualMachine', 'db', 'uid-db')) }),
    ],
    ['taken', 'something else has them', lookup({ dataVolumes: disk(by('VirtualMachineImage', 'i', 'i')) })],
    ['clearing', 'they are being deleted', lookup({ dataVolumes: disk(deleting) })],
    ['clearing', 'their VM is gone', lookup({ dataVolumes: disk(by('VirtualMachine', 'web-0', 'old')) })],
    ['clearing', 'their DataVolume is gone', lookup({ claims: disk(by('DataVolume', 'root-0', 'old')) })],
  ])('make it %s where %s', (state, _, found) => expect(indexState(pool, 0, found)).toBe(state));

  it('that were kept become those of the new VM', () => {
    const found = lookup({ dataVolumes: disk(kept), claims: disk(by('DataVolume', 'root-0', 'disk')) });
    const { dataVolumes, claims } = keptDisks(pool, memberWith('web-0'), 0, found);
    expect([dataVolumes.length, claims.length]).toEqual([1, 0]);
  });

  it.each([
    ['nobody’s', {}],
    ['kept for another pool', keptFor('other', 0)],
    ['kept for another number', keptFor('pool-uid', 1)],
  ])('that are %s do not become those of the new VM', (_, metadata) => {
    const found = lookup({ dataVolumes: disk(metadata), claims: disk(metadata) });
    expect(keptDisks(pool, memberWith('web-0'), 0, found)).toEqual({ dataVolumes: [], claims: [] });
  });

  it('that are kept are labelled with the pool and the number, and are not when they are a VM’s again', () => {
    expect(keptLabels(pool, memberWith('web-0'))).toEqual(kept.labels);
    expect(keptLabels(pool, memberWith('given'))).toEqual({});
  });

  it('that are the state of a firmware count where the VMs have one', () => {
    const state = [disk()] as unknown as Persisted<PersistentVolumeClaim>[];
    const found = { ...lookup({}), stateClaims: (vm: string) => (vm === 'web-0' ? state : []) };
    const domain = { devices: { tpm: { persistent: true } } };
    const stateful = poolWith({}, {}, { template: { spec: { domain } } } as Partial<Vm['spec']>);
    expect([indexState(stateful, 0, found), indexState(stateful, 1, found)]).toEqual(['foreign', 'free']);
    expect(foreignDisks(stateful, 0, found)).toEqual(['Disk root-0']);
    expect(indexState(pool, 0, found)).toBe('free');
  });
});

describe('selection', () => {
  const at = (seconds: number) => ({ creationTimestamp: timestamp(new Date(seconds * 1000)) });
  const vms = [memberWith('web-2', {}, at(1)), memberWith('web-10', {}, at(2)), memberWith('web-0', {}, at(3))];
  const context = { nodeLabels: () => undefined, random: () => 0.5 };
  it.each([
    ['AscendingOrder', ['web-0', 'web-2', 'web-10']],
    ['DescendingOrder', ['web-10', 'web-2', 'web-0']],
    ['Oldest', ['web-2', 'web-10', 'web-0']],
    ['Newest', ['web-0', 'web-10', 'web-2']],
  ] as const)('by %s takes %j', (sortPolicy, order) => {
    expect(select(vms, { sortPolicy }, context).map(name)).toEqual(order);
  });

  it('at random follows the numbers that it gets, and loses nobody', () => {
    const numbers = [0.9, 0.1, 0.5].values();
    const random = () => numbers.next().value ?? 0;
    expect(select(vms, {}, { ...context, random }).map(name)).toEqual(['web-10', 'web-0', 'web-2']);
  });

  it.each([
    ['labels of the VM', { labelSelector: { matchLabels: { drain: 'yes' } } }, ['web-1']],
    ['labels of the template', { labelSelector: { matchLabels: { pool: 'web' } } }, ['web-0', 'web-1', 'web-2']],
    [
      'labels of the node',
      { nodeSelectorRequirementMatcher: [{ key: 'zone', operator: 'In', values: ['b'] }] },
      ['web-2'],
    ],
    ['node selectors', { nodeSelectorRequirementMatcher: [{ key: 'disk', operator: 'Exists' }] }, ['web-0']],
    [
      'all given',
      {
        labelSelector: { matchLabels: { drain: 'yes' } },
        nodeSelectorRequirementMatcher: [{ key: 'zone', operator: 'In', values: ['b'] }],
      },
      [],
    ],
  ])('by %s', (_, selectors, expected) => {
    const { template } = memberWith('web-0').spec;
    const selecting = { template: { ...template, spec: { ...template.spec, nodeSelector: { disk: 'ssd' } } } };
    const members = [
      memberWith('web-0', {}, {}, selecting as Partial<Vm['spec']>),
      memberWith('web-1', {}, { labels: { drain: 'yes' } }),
      memberWith('web-2'),
    ];
    const nodeLabels = (vm: Vm) => (name(vm) === 'web-2' ? { zone: 'b' } : undefined);
    const found = select(members, { sortPolicy: 'AscendingOrder', selectors } as never, { ...context, nodeLabels });
    expect(found.map(name)).toEqual(expected);
  });
});

describe('maxUnavailable', () => {
  it.each([
    [undefined, 10, 10],
    ['100%', 10, 10],
    ['25%', 10, 2],
    ['25%', 3, 1],
    [3, 10, 3],
    ['3', 10, 3],
    ['nonsense', 10, 1],
  ])('%s of %i is %i', (given, replicas, expected) => {
    expect(maxUnavailable(poolWith({ replicas, ...(given !== undefined && { maxUnavailable: given }) }))).toBe(
      expected,
    );
  });
});

const revision = (number: number, spec: PoolSpec = poolWith().spec): Revision =>
  frozen<ControllerRevision>({
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name: `web-${number}`, namespace: 'shop', uid: `r${number}` },
    revision: number,
    data: { ...spec },
  });
const ofTemplate = (template: object, rest: object = {}): PoolSpec =>
  poolWith({}, {}, { template: { spec: { domain: { devices: {} }, ...template } }, ...rest } as Partial<Vm['spec']>)
    .spec;

describe('revisions', () => {
  it('a pool that is only scaled keeps its revision', () => {
    expect(currentRevision(poolWith({ replicas: 9 }), [revision(1)])?.metadata.name).toBe('web-1');
    expect(currentRevision(poolWith(), [revision(1, ofTemplate({ hostname: 'x' }))])).toBeUndefined();
    expect(currentRevision(poolWith(), [revision(1), revision(3), revision(2)])?.metadata.name).toBe('web-3');
  });

  it('those that nothing was made from are not kept, but for the current one', () => {
    const other = ofTemplate({ hostname: 'x' });
    const all = [revision(1, other), revision(2, other), revision(3), revision(4, other)];
    const vmi = memberVmi('web-0', 'web-2');
    expect(unusedRevisions(poolWith(), all, [memberWith('web-0'), vmi]).map(({ metadata }) => metadata.name)).toEqual([
      'web-4',
    ]);
  });
});

describe('an update', () => {
  const specs: Record<string, PoolSpec> = {
    'web-1': poolWith().spec,
    'web-2': ofTemplate({ hostname: 'x' }),
    'web-3': ofTemplate({}, { dataVolumeTemplates: [{ metadata: { name: 'd' }, spec: {} }] }),
    'web-4': poolWith({
      virtualMachineTemplate: {
        ...poolWith().spec.virtualMachineTemplate,
        metadata: { labels: { pool: 'web', tier: 'a' } },
      },
    }).spec,
  };
  const specOf = (each: string) => specs[each];
  const vm = (of: string, spec: Partial<Vm['spec']> = {}) =>
    memberWith('web-0', {}, { labels: { pool: 'web', [POOL_REVISION_LABEL]: of } }, spec);

  it.each([
    ['of the current revision', vm('web-1'), false],
    ['of a revision with the same template', vm('web-9'), false],
    ['of another template', vm('web-2'), true],
    ['of an unknown revision', vm('web-8'), true],
    ['of no revision', memberWith('web-0', {}, { labels: { pool: 'web' } }), true],
  ])('concerns a VM %s: %s', (_, member, isOutdated) => {
    const lookup = (each: string) => (each === 'web-9' ? specs['web-1'] : specOf(each));
    expect(isOutdatedVm(member, poolWith().spec, 'web-1', lookup)).toBe(isOutdated);
  });

  it.each([
    ['is the same', 'web-1', 'web-1', 'Always', 'none'],
    ['makes other VMIs', 'web-2', 'web-1', 'Always', 'restart'],
    ['is unknown', 'web-2', 'web-8', 'Always', 'restart'],
    ['is not said', 'web-2', undefined, 'Always', 'restart'],
    ['of the VM is unknown', 'web-8', 'web-1', 'Always', 'none'],
    ['has other DataVolumes', 'web-3', 'web-1', 'Always', 'replace'],
    ['makes other VMs of the same VMIs', 'web-4', 'web-1', 'Always', 'relabel'],
    ['makes other VMIs, for a VM that is started by hand', 'web-2', 'web-1', 'Manual', 'restart'],
    ['makes other VMIs, for a VM that runs once', 'web-2', 'web-1', 'Once', 'none'],
  ])('of a VMI whose revision %s (%s, %s, %s) is %s', (_, wanted, actual, runStrategy, expected) => {
    expect(vmiUpdate(vm(wanted, { runStrategy }), memberVmi('web-0', actual), specOf)).toBe(expected);
  });

  const ready = (each: string, of: string) => memberVmi(each, of, isReadyNow as never);
  const outdated = (each: string) => memberWith(each, {}, { labels: { pool: 'web', [POOL_REVISION_LABEL]: 'web-2' } });

  it.each([
    ['as many as may be down', 2, ['web-0', 'web-1'], true],
    ['all of them', 5, ['web-0', 'web-1', 'web-2'], false],
    ['none while too many are down', 0, [], true],
  ])('restarts %s', (_, budget, restarted, isPending) => {
    const members = ['web-0', 'web-1', 'web-2'].map((each) => ({ vm: outdated(each), vmi: ready(each, 'web-1') }));
    const plan = planUpdate(members, budget, specOf);
    expect([plan.restart.map(({ vmi }) => name(vmi)), plan.isPending]).toEqual([restarted, isPending]);
  });

  it('restarts those first that are down anyway, whatever the budget', () => {
    const members = [
      { vm: outdated('web-0'), vmi: ready('web-0', 'web-1') },
      { vm: outdated('web-1'), vmi: memberVmi('web-1', 'web-1', { phase: 'Scheduling' }) },
    ];
    expect(planUpdate(members, 0, specOf).restart.map(({ vmi }) => name(vmi))).toEqual(['web-1']);
    expect(planUpdate(members, 1, specOf).restart.map(({ vmi }) => name(vmi))).toEqual(['web-1', 'web-0']);
  });

  it.each<[boolean, string, Vm, Vmi | undefined]>([
    [false, 'it is ready', memberWith('web-0'), ready('web-0', 'web-1')],
    [true, 'it is not ready', memberWith('web-0'), memberVmi('web-0', 'web-1', { phase: 'Running' })],
    [true, 'it should run', memberWith('web-0'), undefined],
    [true, 'it goes', memberWith('web-0', {}, deleting), ready('web-0', 'web-1')],
    [
      false,
      'somebody has stopped it',
      memberWith('web-0', { printableStatus: 'Stopped' }, {}, { runStrategy: 'Manual' }),
      undefined,
    ],
    [
      true,
      'a start is asked for',
      memberWith('web-0', { stateChangeRequests: [{ action: 'Start' }] }, {}, { runStrategy: 'Manual' }),
      undefined,
    ],
    [
      true,
      'it is starting',
      memberWith('web-0', { printableStatus: 'Starting' }, {}, { runStrategy: 'Manual' }),
      undefined,
    ],
  ])('counts a VM as down (%s) where %s', (expected, _, member, vmi) => expect(isDown(member, vmi)).toBe(expected));

  it('replaces the spec, keeps the identity of the guest, and the labels of others', () => {
    const pool = poolWith({
      virtualMachineTemplate: {
        metadata: { labels: { pool: 'web', new: 'x' } },
        spec: { runStrategy: 'Always', template: { spec: { domain: { devices: {} }, hostname: 'h' } } },
      },
    });
    const before = poolWith({
      virtualMachineTemplate: { metadata: { labels: { pool: 'web', old: 'x' } } },
    } as Partial<PoolSpec>).spec;
    const member = memberWith(
      'web-0',
      {},
      { labels: { pool: 'web', old: 'x', mine: 'stays', [POOL_REVISION_LABEL]: 'web-1' } },
      {
        template: { spec: { domain: { devices: {}, firmware: { uuid: 'u', serial: 's' } }, subdomain: 'gone' } },
      } as Partial<Vm['spec']>,
    );
    expect(updatePatch(member, 0, pool, 'web-2', before)).toEqual({
      metadata: { labels: { old: null, new: 'x', [POOL_REVISION_LABEL]: 'web-2' } },
      spec: {
        template: {
          metadata: { labels: { [POOL_REVISION_LABEL]: 'web-2' } },
          spec: { hostname: 'h', subdomain: null },
        },
      },
    });
  });
});

describe('state preservation', () => {
  const proactive = { proactive: { statePreservation: 'Offline' } } as const;
  const opportunistic = { opportunistic: { statePreservation: 'Online' } } as const;
  const marked = (reason?: string) =>
    memberWith('web-0', {}, { annotations: reason ? { [POOL_DELETION_ANNOTATION]: reason } : {} });
  it.each([
    ['a pool without a strategy', undefined, 'ScaleIn', false],
    ['a pool that asks for it', proactive, 'ScaleIn', true],
    ['a pool that asks for nothing', { proactive: { statePreservation: 'Disabled' } } as const, 'ScaleIn', false],
    ['a pool whose VM was replaced', proactive, 'Replacement', false],
    ['a pool whose VM somebody deleted', proactive, undefined, false],
    ['an opportunistic pool whose VM somebody deleted', opportunistic, undefined, true],
    ['an opportunistic pool whose VM was replaced', opportunistic, 'Replacement', false],
  ])('of %s', (_, scaleInStrategy, reason, expected) => {
    const pool = poolWith(scaleInStrategy ? { scaleInStrategy } : {});
    expect(preservesState(pool, marked(reason))).toBe(expected);
  });

  it('is written on the VM where it would not follow otherwise', () => {
    expect(needsMark(poolWith({ scaleInStrategy: proactive }), marked(), 'ScaleIn')).toBe(true);
    expect(needsMark(poolWith(), marked(), 'ScaleIn')).toBe(false);
    expect(needsMark(poolWith({ scaleInStrategy: opportunistic }), marked(), 'Replacement')).toBe(true);
  });
});

describe('autohealing', () => {
  const nowMs = Date.parse('2026-01-01T01:00:00Z');
  const failing = (printableStatus: string, minutes: number): VmStatus => ({
    printableStatus,
    conditions: [
      {
        type: 'Ready',
        status: 'False',
        lastTransitionTime: timestamp(new Date(nowMs - minutes * 60_000)),
        lastProbeTime: null,
      },
    ],
  });
  const failed = (consecutiveFailCount: number): VmStatus => ({ startFailure: { consecutiveFailCount } });
  it.each([
    ['that runs', { printableStatus: 'Running' }, {}, Number.POSITIVE_INFINITY],
    ['that failed twice', failed(2), {}, Number.POSITIVE_INFINITY],
    ['that failed three times', failed(3), {}, 0],
    ['that failed as often as is tolerated', failed(5), { startUpFailureThreshold: 5 }, 0],
    ['that has crashed for five minutes', failing('CrashLoopBackOff', 5), {}, 0],
    ['without an image for two minutes', failing('ErrImagePull', 2), {}, 180_000],
    [
      'without an image for as long as is tolerated',
      failing('ErrImagePull', 2),
      { minFailingToStartDuration: '2m' },
      0,
    ],
    ['that is being stopped', failing('Stopping', 60), {}, Number.POSITIVE_INFINITY],
  ])('replaces a VM %s', (_, status, strategy, ms) => {
    expect(healedInMs(memberWith('web-0', status as VmStatus), strategy as never, nowMs)).toBe(ms);
  });
});
