import { describe, expect, it } from 'vitest';
import { create, kindOf, Objects, object, outcome, podKind, request } from '../testing/admission.ts';
import { resourceQuota } from './resourceQuota.ts';

const quotaKind = kindOf('ResourceQuota', 'resourcequotas');
const claimKind = kindOf('PersistentVolumeClaim', 'persistentvolumeclaims');
const serviceKind = kindOf('Service', 'services');
const vmKind = kindOf('VirtualMachine', 'virtualmachines', 'kubevirt.io');

const quota = (hard: object, more: object = {}) => object(quotaKind, 'q', { spec: { hard, ...more } });
const pod = (name: string, requests: object = {}, limits: object = {}, spec: object = {}) =>
  object(podKind, name, { spec: { containers: [{ name: 'c', resources: { requests, limits } }], ...spec } });
const objects = (hard: object, more: object = {}) => new Objects().put(quotaKind, quota(hard, more));

describe('ResourceQuota', () => {
  it.each<[string, Objects, ReturnType<typeof create>, string]>([
    ['room left', objects({ pods: 2 }).put(podKind, pod('a')), create(podKind, pod('p')), 'admitted'],
    [
      'no room left',
      objects({ pods: '2' }).put(podKind, pod('a'), pod('b')),
      create(podKind, pod('p')),
      '403 pods "p" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2',
    ],
    [
      'pods that ended count for nothing but count/pods',
      objects({ pods: 1, 'count/pods': 5 }).put(podKind, { ...pod('a'), status: { phase: 'Succeeded' } }),
      create(podKind, pod('p')),
      'admitted',
    ],
    [
      'compute, in canonical form',
      objects({ 'requests.cpu': '2', 'limits.memory': '4Gi' }).put(
        podKind,
        pod('a', { cpu: '1500m' }, { memory: '1Gi' }),
      ),
      create(podKind, pod('p', { cpu: '1' }, { memory: '4096Mi' })),
      '403 pods "p" is forbidden: exceeded quota: q, requested: limits.memory=4Gi,requests.cpu=1, used: limits.memory=1Gi,requests.cpu=1500m, limited: limits.memory=4Gi,requests.cpu=2',
    ],
    [
      'a limited resource left open',
      objects({ 'requests.cpu': '2', 'limits.memory': '1Gi' }),
      create(podKind, pod('p')),
      '403 pods "p" is forbidden: failed quota: q: must specify limits.memory for: c; requests.cpu for: c',
    ],
    [
      'devices',
      objects({ 'requests.devices.kubevirt.io/kvm': 1 }).put(podKind, pod('a', { 'devices.kubevirt.io/kvm': 1 })),
      create(podKind, pod('p', { 'devices.kubevirt.io/kvm': '1' })),
      '403 pods "p" is forbidden: exceeded quota: q, requested: requests.devices.kubevirt.io/kvm=1, used: requests.devices.kubevirt.io/kvm=1, limited: requests.devices.kubevirt.io/kvm=1',
    ],
    [
      'custom kinds by count',
      objects({ 'count/virtualmachines.kubevirt.io': 1 }).put(vmKind, object(vmKind, 'a')),
      create(vmKind, object(vmKind, 'vm')),
      '403 virtualmachines.kubevirt.io "vm" is forbidden: exceeded quota: q, requested: count/virtualmachines.kubevirt.io=1, used: count/virtualmachines.kubevirt.io=1, limited: count/virtualmachines.kubevirt.io=1',
    ],
    [
      'storage of one class',
      objects({ 'fast.storageclass.storage.k8s.io/requests.storage': '10Gi', 'requests.storage': '100Gi' }),
      create(
        claimKind,
        object(claimKind, 'c', { spec: { storageClassName: 'fast', resources: { requests: { storage: '20Gi' } } } }),
      ),
      '403 persistentvolumeclaims "c" is forbidden: exceeded quota: q, requested: fast.storageclass.storage.k8s.io/requests.storage=20Gi, used: fast.storageclass.storage.k8s.io/requests.storage=0, limited: fast.storageclass.storage.k8s.io/requests.storage=10Gi',
    ],
    [
      'node ports',
      objects({ 'services.nodeports': 1 }),
      create(serviceKind, object(serviceKind, 's', { spec: { type: 'NodePort', ports: [{ port: 1 }, { port: 2 }] } })),
      '403 services "s" is forbidden: exceeded quota: q, requested: services.nodeports=2, used: services.nodeports=0, limited: services.nodeports=1',
    ],
    ['quotas of other kinds', objects({ secrets: 0 }), create(podKind, pod('p')), 'admitted'],
  ])('%s', async (_, lookup, asked, expected) => {
    expect(await outcome(resourceQuota(lookup), asked)).toBe(expected);
  });

  it.each<[string, object, object, object, boolean]>([
    ['Terminating and a deadline', { scopes: ['Terminating'] }, {}, { activeDeadlineSeconds: 10 }, false],
    ['Terminating and none', { scopes: ['Terminating'] }, {}, {}, true],
    ['NotTerminating and none', { scopes: ['NotTerminating'] }, {}, {}, false],
    ['BestEffort and no request', { scopes: ['BestEffort'] }, {}, {}, false],
    ['BestEffort and a request', { scopes: ['BestEffort'] }, { cpu: '1' }, {}, true],
    ['NotBestEffort and a request', { scopes: ['NotBestEffort'] }, { cpu: '1' }, {}, false],
    [
      'the priority class asked for',
      { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] } },
      {},
      { priorityClassName: 'high' },
      false,
    ],
    [
      'another priority class',
      { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] } },
      {},
      { priorityClassName: 'low' },
      true,
    ],
  ])('scope %s', async (_, scope, requests, spec, isAdmitted) => {
    const result = await outcome(
      resourceQuota(objects({ pods: 0 }, scope)),
      create(podKind, pod('p', requests, {}, spec)),
    );
    expect(result === 'admitted').toBe(isAdmitted);
  });

  it('checks only what an update adds', async () => {
    const claim = (storage: string) =>
      object(claimKind, 'c', { spec: { resources: { requests: { storage } } } }, { resourceVersion: '1' });
    const lookup = objects({ 'requests.storage': '10Gi' }).put(claimKind, claim('8Gi'));
    const update = (storage: string) =>
      request('UPDATE', claimKind, { object: claim(storage), oldObject: claim('8Gi') });
    expect(await outcome(resourceQuota(lookup), update('10Gi'))).toBe('admitted');
    expect(await outcome(resourceQuota(lookup), update('11Gi'))).toBe(
      '403 persistentvolumeclaims "c" is forbidden: exceeded quota: q, requested: requests.storage=3Gi, used: requests.storage=8Gi, limited: requests.storage=10Gi',
    );
  });
});

describe('ResourceQuota under concurrency', () => {
  const refused = (used: number) =>
    `403 pods "b" is forbidden: exceeded quota: q, requested: pods=1, used: pods=${used}, limited: pods=1`;

  it('gives the last place to one of two writes, and back when that one fails', async () => {
    const plugin = resourceQuota(objects({ pods: 1 }));
    const first = create(podKind, pod('a'));
    expect(await outcome(plugin, first)).toBe('admitted');
    expect(await outcome(plugin, create(podKind, pod('b')))).toBe(refused(1));
    first.settle(false);
    expect(await outcome(plugin, create(podKind, pod('b')))).toBe('admitted');
  });

  it('counts a write once while it is both stored and not yet settled', async () => {
    const lookup = objects({ pods: 2 });
    const plugin = resourceQuota(lookup);
    const first = create(podKind, pod('a'));
    await outcome(plugin, first);
    lookup.put(podKind, pod('a'));
    expect(await outcome(plugin, create(podKind, pod('b')))).toBe('admitted');
  });

  it('reserves nothing for a dry run', async () => {
    const plugin = resourceQuota(objects({ pods: 1 }));
    await outcome(plugin, create(podKind, pod('a'), { dryRun: true }));
    expect(await outcome(plugin, create(podKind, pod('b')))).toBe('admitted');
  });
});
