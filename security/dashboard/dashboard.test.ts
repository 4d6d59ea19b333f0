import { PAGE_HEADERS } from '@vireo/dashboard';
import { describe, expect, it } from 'vitest';
import { headerProblem } from './headers.ts';
import { cookieProblems } from './login.ts';
import { kindOf } from './opened.ts';
import { payloads, poisoned, poisonedAnswer, poisonedEvents } from './payloads.ts';

describe('headers of an answer', () => {
  it('of the page are enough', () => {
    expect(headerProblem(PAGE_HEADERS)).toBeUndefined();
  });
  it.each([
    ['content-security-policy', undefined, 'another one: (none)'],
    ['content-security-policy', `${PAGE_HEADERS['content-security-policy']}; script-src 'unsafe-inline'`, 'another'],
    [
      'content-security-policy',
      PAGE_HEADERS['content-security-policy']?.replace("; form-action 'none'", ''),
      'another',
    ],
    ['x-content-type-options', undefined, 'another type'],
    ['referrer-policy', 'origin', 'told to others'],
    ['x-frame-options', undefined, 'a frame'],
    ['cross-origin-opener-policy', 'unsafe-none', 'hold on to its window'],
    ['cross-origin-resource-policy', undefined, 'may load it'],
    ['access-control-allow-origin', '*', 'read it'],
  ])('with %s %s are a finding', (name, value, problem) => {
    expect(headerProblem({ ...PAGE_HEADERS, [name]: value })).toContain(problem);
  });
});

it('an object is poisoned in its texts, and stays what it is', () => {
  const object = {
    kind: 'VirtualMachine',
    metadata: { name: 'web', labels: { role: 'front end' }, creationTimestamp: '2026-01-01T00:00:00Z' },
    status: { printableStatus: 'Running', conditions: [{ type: 'Ready', status: 'True', message: 'all is well' }] },
    spec: { template: { spec: { cores: 2 } } },
  };
  const made = poisoned(object) as typeof object;
  expect(made).toMatchObject({
    kind: 'VirtualMachine',
    metadata: { name: 'web', creationTimestamp: '2026-01-01T00:00:00Z' },
    status: { printableStatus: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    spec: { template: { spec: { cores: 2 } } },
  });
  expect(made.metadata.labels.role).toContain('front end ');
  expect(payloads('metadata.labels.role').some((each) => made.metadata.labels.role.endsWith(each))).toBe(true);
  expect(made.status.conditions[0]?.message.length).toBeGreaterThan('all is well'.length);
});

it('names that are only shown are poisoned, alike wherever they stand, and those in addresses are not', () => {
  const made = poisoned({
    spec: { volumes: [{ name: 'root', persistentVolumeClaim: { claimName: 'data' } }], disks: [{ name: 'root' }] },
    involvedObject: { name: 'web' },
  }) as { spec: { volumes: { name: string }[]; disks: { name: string }[] }; involvedObject: { name: string } };
  expect(made.spec.volumes[0]?.name).toMatch(/^root ./s);
  expect(made.spec.disks[0]?.name).toBe(made.spec.volumes[0]?.name);
  expect(made.involvedObject.name).toBe('web');
});

it('the names of what the server has stay, or the page would offer nothing to attack', () => {
  const list = { kind: 'APIResourceList', resources: [{ name: 'virtualmachineinstances/console' }] };
  expect(poisonedAnswer(list)).toEqual(list);
});

it('keys of labels, names of objects and the system of a guest are attacks, too', () => {
  const vmi = { metadata: { name: 'web', labels: { role: 'front' } }, status: { phase: 'Running' } };
  const { items } = poisonedAnswer({ kind: 'VirtualMachineInstanceList', items: [vmi] }) as {
    items: { metadata: { name: string; labels: object }; status: { phase: string; guestOSInfo: { name: string } } }[];
  };
  expect(items[0]?.metadata.name).toBe('web');
  expect(Object.keys(items[0]?.metadata.labels ?? {}).join(' ')).toContain('onerror=');
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['web', ...payloads('metadata.name')]);
  expect(items[0]?.status).toMatchObject({
    phase: 'Running',
    guestOSInfo: { name: expect.stringContaining('onerror=') },
  });
});

it('a watch tells of objects that are new, have changed and are gone, with attacks of its own', () => {
  const vmi = (name: string) => ({ metadata: { name, labels: { role: 'front end' } } });
  const list = { apiVersion: 'v1', kind: 'PodList', metadata: { resourceVersion: '7' }, items: [vmi('a'), vmi('b')] };
  const events = poisonedEvents(list) as { type: string; object: { kind: string; metadata: { name: string } } }[];
  const attacks = payloads('watch.metadata.name');
  expect(events.map(({ type, object }) => [type, object.metadata.name])).toEqual([
    ['MODIFIED', 'b'],
    ...attacks.map((name) => ['ADDED', name]),
    ['DELETED', attacks.at(-1)],
  ]);
  expect(events[0]).toMatchObject({ object: { apiVersion: 'v1', kind: 'Pod', metadata: { resourceVersion: '7' } } });
  expect(JSON.stringify(events[0])).toContain("('watch.metadata.labels.key')");
  expect(poisonedEvents({ kind: 'Status' })).toEqual([]);
});

it.each([
  ['/dashboard/', ' '],
  ['/dashboard/machines/default/web', 'machines '],
  ['/dashboard/machines/default/web/disks', 'machines disks'],
  ['/dashboard/machines/default/db/disks?ns=default', 'machines disks'],
  ['/dashboard/images/volumes/DataVolume/default/root', 'images volumes'],
])('buttons of %s are pressed once for all pages of the kind “%s”', (path, kind) => {
  expect(kindOf(path)).toBe(kind);
});

describe('cookies of a page', () => {
  const cookie = { name: 'own', value: 'x', domain: 'x', path: '/', secure: false, expires: -1 };
  const safe = { ...cookie, httpOnly: true, sameSite: 'Strict' as const };
  it('that scripts and other sites do not get, and that end with the browser, are enough', () => {
    expect(cookieProblems([safe], ['own'])).toEqual([]);
  });
  it.each([
    [[safe], [], 'has the cookies own'],
    [[], ['own'], 'has the cookies (none)'],
    [[{ ...safe, httpOnly: false }], ['own'], 'scripts can read'],
    [[{ ...safe, sameSite: 'Lax' as const }], ['own'], 'from other sites'],
    [[{ ...safe, expires: 1e10 }], ['own'], 'outlives'],
  ])('%j instead of %j are a finding', (cookies, names, problem) => {
    expect(cookieProblems(cookies, names).join()).toContain(problem);
  });
});
