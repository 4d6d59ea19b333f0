import type { UnknownObject } from '@vireo/api';
import { clusterConfig } from '@vireo/hypervisor';
import type { ApiRequest, Client, UserInfo } from '@vireo/kube';
import { describe, expect, it } from 'vitest';
import { vmiWith, vmWith } from '../testing/vms.ts';
import { review } from './review.ts';
import { RULES } from './rules.ts';

const HANDLER = 'system:serviceaccount:kubevirt:kubevirt-handler';
const USER = 'jane';

interface Asked {
  readonly path: string;
  readonly operation?: string;
  readonly object?: object;
  readonly oldObject?: object;
  readonly username?: string;
  readonly user?: Partial<UserInfo>;
  readonly client?: Client;
}

/** Asks a webhook. Most of these look at no other objects, so that there is no client. */
async function ask({ path, operation = 'CREATE', object, oldObject, username = USER, user, client }: Asked) {
  const about = (object ?? oldObject) as UnknownObject;
  const [group = '', version = ''] = about.apiVersion.split('/');
  const value = {
    request: {
      uid: 'review-1',
      operation,
      kind: { group, version, kind: about.kind },
      userInfo: { username, groups: [], ...user },
      object: object ?? null,
      oldObject: oldObject ?? null,
    },
  };
  const request: ApiRequest = {
    method: 'POST',
    path,
    query: new URLSearchParams(),
    headers: {},
    user: { username: 'system:apiserver', groups: [] },
    body: async () => ({ value, contentType: 'application/json' }),
    signal: new AbortController().signal,
  };
  const context = { config: async () => clusterConfig(undefined), client: client as Client };
  const reply = await review(RULES, context, request);
  if (reply.type !== 'object') throw new TypeError('an AdmissionReview is JSON');
  const { response } = reply.object() as { response: Response };
  expect(response.uid).toBe('review-1');
  return response;
}

interface Response {
  readonly uid: string;
  readonly allowed: boolean;
  readonly patch?: string;
  readonly status?: { message: string; code: number; reason: string; details?: { causes: object[] } };
  readonly warnings?: string[];
}

const patchOf = ({ patch }: Response): { op: string; path: string; value?: unknown }[] =>
  patch ? JSON.parse(Buffer.from(patch, 'base64').toString()) : [];
const valueAt = (response: Response, path: string) => patchOf(response).find((each) => each.path === path)?.value;

const withMemory = { domain: { devices: {}, memory: { guest: '64Mi' } } };
const template = { spec: withMemory };
const fresh = () => ({ ...vmiWith({ spec: withMemory }), status: undefined });

describe('a disk of another namespace', () => {
  it('is asked for with the uid and the extra fields of its writer', async () => {
    const created: unknown[] = [];
    const create = async (review: object) => {
      created.push(review);
      return { ...review, status: { allowed: true } };
    };
    const client = { of: () => ({ create, find: async () => undefined }) } as unknown as Client;
    const user = { uid: 'u-1', groups: ['dev'], extra: { scopes: ['read'] } };
    const object = {
      apiVersion: 'cdi.kubevirt.io/v1beta1',
      kind: 'DataVolume',
      metadata: { name: 'copy', namespace: 'default' },
      spec: { source: { pvc: { namespace: 'others', name: 'disk' } }, storage: {} },
    };
    expect(await ask({ path: '/datavolume-validate', object, user, client })).toMatchObject({ allowed: true });
    expect(created).toMatchObject([{ spec: { user: USER, ...user } }]);
  });
});

describe('defaults of a VMI', () => {
  const path = '/virtualmachineinstances-mutate';

  it('are written at its creation, with what the system keeps track of', async () => {
    const response = await ask({ path, object: fresh() });
    expect(valueAt(response, '/metadata/finalizers')).toEqual(['kubevirt.io/foregroundDeleteVirtualMachine']);
    expect(valueAt(response, '/status')).toMatchObject({
      phase: 'Pending',
      phaseTransitionTimestamps: [{ phase: 'Pending' }],
      runtimeUser: 107,
    });
    expect(valueAt(response, '/spec/architecture')).toBe('amd64');
  });

  it('do not take a status from a user', async () => {
    const response = await ask({ path, object: { ...fresh(), status: { phase: 'Running', nodeName: 'n1' } } });
    expect(patchOf(response)).toContainEqual({ op: 'replace', path: '/status/phase', value: 'Pending' });
    expect(patchOf(response)).toContainEqual({ op: 'remove', path: '/status/nodeName' });
  });

  it('keep what the controller says of the VM', async () => {
    const status = { virtualMachineRevisionName: 'revision-start-vm-1' };
    const response = await ask({
      path,
      object: { ...fresh(), status },
      username: 'system:serviceaccount:kubevirt:kubevirt-controller',
    });
    expect(patchOf(response).map((each) => each.path)).not.toContain('/status/virtualMachineRevisionName');
  });

  it("on an update, revert a user's status and take the node's", async () => {
    const oldObject = vmiWith({ phase: 'Running' });
    const object = vmiWith({ phase: 'Succeeded' });
    const asUser = await ask({ path, operation: 'UPDATE', object, oldObject });
    expect(patchOf(asUser)).toEqual([{ op: 'replace', path: '/status/phase', value: 'Running' }]);
    expect(patchOf(await ask({ path, operation: 'UPDATE', object, oldObject, username: HANDLER }))).toEqual([]);
  });

  it('leave an object of the wrong shape to the server', async () => {
    const response = await ask({ path, object: { ...fresh(), spec: { domain: 'large' } } });
    expect(response).toEqual({ uid: 'review-1', allowed: true });
  });
});

describe('defaults of a VM', () => {
  const path = '/virtualmachines-mutate';

  it('give it an identity once', async () => {
    const response = await ask({ path, object: vmWith({ template }) });
    expect(valueAt(response, '/spec/template/spec/domain/firmware')).toEqual({
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      serial: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    const updated = await ask({
      path,
      operation: 'UPDATE',
      object: vmWith({ template }),
      oldObject: vmWith({ template }),
    });
    expect(valueAt(updated, '/spec/template/spec/domain/firmware')).toBeUndefined();
  });
});

describe('a VMI', () => {
  const create = '/virtualmachineinstances-validate-create';
  const update = '/virtualmachineinstances-validate-update';

  it('is refused with 422, the messages in a row, and a cause each', async () => {
    const object = vmiWith({ spec: { domain: { devices: { disks: [{ name: 'a' }, { name: 'a' }] } } } });
    const { allowed, status } = await ask({ path: create, object });
    expect(allowed).toBe(false);
    expect(status).toMatchObject({ code: 422, reason: 'Invalid' });
    expect(status?.details?.causes.length).toBeGreaterThan(1);
    const messages = status?.details?.causes.map((cause) => (cause as { message: string }).message) ?? [];
    expect(status?.message).toBe(messages.join(', '));
  });

  it('may carry labels of the system only if the system says so', async () => {
    const object = {
      ...vmiWith({ spec: withMemory }),
      metadata: { name: 'web', labels: { 'kubevirt.io/nodeName': 'n1' } },
    };
    expect((await ask({ path: create, object })).status?.message).toContain(
      'creation of the following reserved kubevirt.io/ labels on a VMI object is prohibited',
    );
    expect(await ask({ path: create, object, username: HANDLER })).toMatchObject({ allowed: true });
  });

  const bigger = vmiWith({ spec: { domain: { devices: {}, memory: { guest: '128Mi' } } } });
  const growing = vmiWith({ spec: { domain: { devices: {}, cpu: { maxSockets: 9 } } } });
  const labelled = { ...vmiWith(), metadata: { name: 'web', labels: { 'kubevirt.io/nodeName': 'n2' } } };
  it.each([
    ['unchanged', vmiWith(), USER, undefined],
    ['other spec', bigger, USER, 'update of VMI object is restricted'],
    ['other spec', bigger, HANDLER, undefined],
    ['other limit', growing, HANDLER, 'CPU topology maxSockets changed'],
    [
      'label of the system',
      labelled,
      USER,
      'modification of the following reserved kubevirt.io/ labels on a VMI object is prohibited: kubevirt.io/nodeName',
    ],
    ['label of the system', labelled, HANDLER, undefined],
    ['label of their own', { ...vmiWith(), metadata: { name: 'web', labels: { tier: 'db' } } }, USER, undefined],
  ])('with %s by %3$s: %4$s', async (_, object, username, message) => {
    const { status } = await ask({ path: update, operation: 'UPDATE', object, oldObject: vmiWith(), username });
    expect(status?.message).toBe(message);
  });
});

describe('a VM', () => {
  const path = '/virtualmachines-validate';
  it.each([
    ['a run strategy', vmWith({ template }), undefined],
    ['no run strategy', vmWith({ template, runStrategy: undefined }), 'RunStrategy must be specified'],
    ['an unknown run strategy', vmWith({ template, runStrategy: 'Sometimes' }), 'Invalid RunStrategy (Sometimes)'],
    [
      'an instance type without a name',
      vmWith({ template, instancetype: {} }),
      'Either Name or InferFromVolume should be provided within the instancetype matcher',
    ],
  ])('with %s: %3$s', async (_, object, message) => {
    expect((await ask({ path, object })).status?.message).toBe(message);
  });

  it('whose DataVolume templates are wrong is refused with their place in the VM', async () => {
    const spec = { ...template.spec, volumes: [{ name: 'd', dataVolume: { name: 'd' } }] };
    const disks = { devices: { disks: [{ name: 'd' }] } };
    const templates = [{ metadata: { name: 'd' }, spec: { source: { vddk: {} }, storage: {} } }];
    const object = vmWith({
      template: { spec: { ...spec, domain: { ...template.spec.domain, ...disks } } },
      dataVolumeTemplates: templates,
    });
    const { message, details } = (await ask({ path, object })).status ?? {};
    const field = 'spec.dataVolumeTemplates[0].spec.source.vddk';
    // kubectl shows causes with their fields.
    expect(details?.causes).toContainEqual(
      expect.objectContaining({
        field,
        message: expect.stringMatching(/^Vireo does not support the source vddk: that takes VMware's VDDK/),
      }),
    );
    expect(message).toContain(
      "spec.dataVolumeTemplates[0].spec.source.vddk: Vireo does not support the source vddk: that takes VMware's VDDK",
    );
    expect(message).toContain('spec.dataVolumeTemplates[0].spec.storage: PVC size is missing');
  });

  it('that uses the old field is warned about it', async () => {
    expect(await ask({ path, object: vmWith({ template, running: true }) })).toMatchObject({
      allowed: true,
      warnings: ['spec.running is deprecated, please use spec.runStrategy instead.'],
    });
  });

  it('that goes is let go, whatever is wrong with it', async () => {
    const broken = vmWith({ template, runStrategy: 'Sometimes' });
    const object = { ...broken, metadata: { ...broken.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    expect(await ask({ path, operation: 'UPDATE', object, oldObject: object })).toMatchObject({ allowed: true });
  });
});

describe('sets of VMs', () => {
  const set = (spec: object) => ({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceReplicaSet',
    metadata: { name: 'set' },
    spec,
  });
  const pool = (spec: object) => ({ ...set(spec), apiVersion: 'pool.kubevirt.io/v1beta1', kind: 'VirtualMachinePool' });
  const selector = (tier: string) => ({ selector: { matchLabels: { tier } } });
  const labelled = { metadata: { labels: { tier: 'db' } }, spec: withMemory };

  it.each([
    ['that selects what it makes', { ...selector('db'), template: labelled }, undefined],
    ['that selects others', { ...selector('web'), template: labelled }, 'selector does not match labels.'],
    ['without a template', selector('db'), 'missing virtual machine template.'],
    [
      'of less than none',
      { replicas: -1, ...selector('db'), template: labelled },
      'spec.replicas is -1: it must not be negative.',
    ],
    [
      'that selects everything',
      { selector: {}, template: labelled },
      'an empty selector would select every VMI in the namespace.',
    ],
    [
      'with an unknown operator',
      { selector: { matchExpressions: [{ key: 'tier', operator: 'Like', values: ['db'] }] }, template: labelled },
      'selector does not match labels.',
    ],
    [
      'with a label that no VMI can have',
      { ...selector('db'), template: { ...labelled, metadata: { labels: { tier: 'db', note: 'not a label' } } } },
      expect.stringMatching(/^spec\.template\.metadata\.labels: Invalid value: "not a label": a valid label must/),
    ],
    [
      'with a name that no VMI can have',
      { ...selector('db'), template: { ...labelled, metadata: { ...labelled.metadata, name: 'Web_Server' } } },
      expect.stringMatching(/^spec\.template\.metadata\.name: Invalid value: "Web_Server": a lowercase RFC 1123/),
    ],
    [
      'with a name that is too long',
      { ...selector('db'), template: { ...labelled, metadata: { ...labelled.metadata, name: 'w'.repeat(254) } } },
      expect.stringContaining('must be no more than 253 characters'),
    ],
    [
      'of VMs without memory',
      { ...selector('db'), template: { ...labelled, spec: { domain: { devices: {} } } } },
      expect.stringMatching(/^no memory requested, at least one of 'spec\.template\.spec\.domain\.memory\.guest'/),
    ],
  ])('a replica set %s: %3$s', async (_, spec, message) => {
    const response = await ask({ path: '/virtualmachinereplicasets-validate', object: set(spec) });
    expect(response.status?.message).toEqual(message);
  });

  it('a replica set whose selector changes is let through with a warning', async () => {
    const template = { ...labelled, metadata: { labels: { tier: 'db', site: 'a' } } };
    const oldObject = set({ ...selector('db'), template });
    const object = set({ selector: { matchLabels: { site: 'a' } }, template });
    const path = '/virtualmachinereplicasets-validate';
    expect(await ask({ path, operation: 'UPDATE', object, oldObject })).toMatchObject({
      allowed: true,
      warnings: [expect.stringContaining('VMIs that it no longer selects keep running outside the replica set')],
    });
  });

  const vmTemplate = (spec: object = {}, labels: object = { tier: 'db' }) => ({
    metadata: { labels },
    spec: { runStrategy: 'Halted', template: { spec: withMemory }, ...spec },
  });
  const disks = { ...withMemory, domain: { ...withMemory.domain, devices: { disks: [{ name: 'testdisk' }] } } };
  const both = { unmanaged: {}, proactive: {} };
  const dataVolume = { metadata: { name: 'd' }, spec: { source: { vddk: {} }, storage: {} } };
  const poolPath = '/virtualmachinepool-validate';

  it.each([
    ['that selects what it makes', {}, undefined],
    ['that selects others', selector('web'), 'selector does not match labels.'],
    ['that selects everything', { selector: {} }, 'an empty selector would select every VM in the namespace.'],
    ['without a template', { virtualMachineTemplate: undefined }, 'missing virtual machine template.'],
    [
      'without a template of its VMs',
      { virtualMachineTemplate: { metadata: { labels: { tier: 'db' } } } },
      'spec.virtualMachineTemplate.spec.template is missing: set the template of the VMs',
    ],
    [
      'without a run strategy',
      { virtualMachineTemplate: vmTemplate({ runStrategy: undefined }) },
      'RunStrategy must be specified',
    ],
    [
      'with a disk that has no volume',
      { virtualMachineTemplate: vmTemplate({ template: { spec: disks } }) },
      "spec.virtualMachineTemplate.spec.template.spec.domain.devices.disks[0].name 'testdisk' not found.",
    ],
    [
      'of VMs without memory',
      { virtualMachineTemplate: vmTemplate({ template: { spec: { domain: { devices: {} } } } }) },
      expect.stringMatching(
        /^no memory requested, at least one of 'spec\.virtualMachineTemplate\.spec\.template\.spec\./,
      ),
    ],
    [
      'with DataVolumes that cannot be',
      { virtualMachineTemplate: vmTemplate({ dataVolumeTemplates: [dataVolume] }) },
      expect.stringContaining(
        'spec.virtualMachineTemplate.spec.dataVolumeTemplates[0].spec.source.vddk: Vireo does not',
      ),
    ],
    ['that may lose none', { maxUnavailable: 0 }, 'maxUnavailable must be greater than 0'],
    ['that may lose some text', { maxUnavailable: 'x' }, 'maxUnavailable percentage must end with %'],
    [
      'that may lose some text of a hundred',
      { maxUnavailable: 'x%' },
      'maxUnavailable percentage value "x" is invalid: it must be a whole number',
    ],
    [
      'that may lose too many',
      { maxUnavailable: '101%' },
      'maxUnavailable percentage value 101 must be between 1 and 100',
    ],
    ['that may lose a few', { maxUnavailable: '10%' }, undefined],
    [
      'that shrinks in two ways',
      { scaleInStrategy: both },
      'only one strategy can be configured at a time: but found unmanaged, proactive strategies',
    ],
    [
      'that updates in two ways',
      { updateStrategy: both },
      'only one strategy can be configured at a time: but found unmanaged, proactive strategies',
    ],
    [
      'that selects nodes by an operator that there is not',
      {
        scaleInStrategy: {
          proactive: {
            selectionPolicy: { selectors: { nodeSelectorRequirementMatcher: [{ key: 'a', operator: 'Like' }] } },
          },
        },
      },
      'spec.scaleInStrategy.proactive.selectionPolicy.selectors.nodeSelectorRequirementMatcher[0].operator is "Like": it must be one of In, NotIn, Exists, DoesNotExist, Gt, Lt',
    ],
    [
      'with labels that no VMI can have',
      {
        virtualMachineTemplate: vmTemplate({
          template: { metadata: { labels: { note: 'not a label' } }, spec: withMemory },
        }),
      },
      expect.stringMatching(
        /^spec\.virtualMachineTemplate\.spec\.template\.metadata\.labels: Invalid value: "not a label"/,
      ),
    ],
  ])('a pool %s: %3$s', async (_, spec, message) => {
    const object = pool({ ...selector('db'), virtualMachineTemplate: vmTemplate(), ...spec });
    expect((await ask({ path: poolPath, object })).status?.message).toEqual(message);
  });

  it('a pool whose VMs could have no such names is refused', async () => {
    const object = {
      ...pool({ ...selector('db'), virtualMachineTemplate: vmTemplate() }),
      metadata: { name: 'w'.repeat(252) },
    };
    expect((await ask({ path: poolPath, object })).status?.message).toMatch(
      /^metadata\.name: .*no more than 253 characters/,
    );
  });

  it('a pool keeps its selector', async () => {
    const virtualMachineTemplate = vmTemplate({}, { tier: 'db', site: 'a' });
    const oldObject = pool({ ...selector('db'), virtualMachineTemplate });
    const object = pool({ selector: { matchLabels: { site: 'a' } }, virtualMachineTemplate });
    const asked = { path: poolPath, operation: 'UPDATE', object, oldObject };
    expect((await ask(asked)).status?.message).toBe('selector is immutable after creation.');
    expect(await ask({ path: poolPath, object: oldObject })).toMatchObject({ allowed: true });
  });

  it('a migration keeps its spec', async () => {
    const migration = (vmiName: string) => ({
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstanceMigration',
      metadata: { name: 'm' },
      spec: { vmiName },
    });
    const path = '/migration-validate-update';
    const asked = { path, operation: 'UPDATE', oldObject: migration('web') };
    expect((await ask({ ...asked, object: migration('db') })).status?.message).toBe(
      "update of Migration object's spec is restricted",
    );
    expect(await ask({ ...asked, object: migration('web') })).toMatchObject({ allowed: true });
  });
});

describe('a webhook', () => {
  it('that is asked about another kind refuses', async () => {
    expect(await ask({ path: '/virtualmachines-validate', object: vmiWith() })).toMatchObject({
      allowed: false,
      status: { code: 400 },
    });
  });

  it('that does not exist is not found', async () => {
    await expect(ask({ path: '/nothing-here', object: vmWith() })).rejects.toMatchObject({ code: 404 });
  });
});
