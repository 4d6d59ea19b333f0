import { Pod } from '@vireo/api';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { ignoreNotFound } from '@vireo/kube';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Installation, install } from '../../testing/installation.ts';

let installation: Installation;
beforeAll(async () => {
  installation = await install();
});
afterAll(() => installation?.close());

const at = { namespace: 'default' };
const client = () => installation.server.client;
const denied = (webhook: string, why: string) =>
  `admission webhook "${webhook}.kubevirt.io" denied the request: ${why}`;
const LAUNCHERS = 'virt-launcher-eviction-interceptor';

const owner = (apiVersion: string, kind: string, { metadata }: { metadata: { name: string; uid: string } }) => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid,
  controller: true,
});
const createPod = (name: string, ownerReference: ReturnType<typeof owner>, labels: Record<string, string>) =>
  client()
    .of(Pod)
    .create({
      metadata: { name, ...at, labels, ownerReferences: [ownerReference] },
      spec: { nodeName: 'n1', terminationGracePeriodSeconds: 0, containers: [{ name: 'compute', image: 'i' }] },
    });

/** A VMI that runs on node n1 as far as its objects tell, and its launcher pod. */
async function running(name: string, evictionStrategy: string, isMigratable = true) {
  const domain = { devices: {}, memory: { guest: '64Mi' } };
  const vmi = await client()
    .of(Vmi)
    .create({ metadata: { name, ...at }, spec: { domain, evictionStrategy } });
  const conditions = [{ type: 'LiveMigratable', status: isMigratable ? 'True' : 'False' }];
  // Only the system's own parts write statuses; the extension is one of them.
  await installation.client.of(Vmi).patchExactly(vmi, { status: { phase: 'Running', nodeName: 'n1', conditions } });
  return createPod(`virt-launcher-${name}`, owner('kubevirt.io/v1', 'VirtualMachineInstance', vmi), {
    'kubevirt.io': 'virt-launcher',
  });
}
const evict = (name: string, { dryRun = false, ...body }: Record<string, unknown> & { dryRun?: boolean } = {}) =>
  client()
    .of(Pod)
    .createSubresource(name, 'eviction', { metadata: { name, ...at }, ...body }, { ...at, dryRun });
const markOf = async (name: string) => (await client().of(Vmi).get(name, at)).status?.evacuationNodeName;

it('the eviction of a guest that can move is answered 429 until it has moved', async () => {
  await running('mobile', 'LiveMigrate');
  const triggered = 'Eviction triggered evacuation of VMI "default/mobile"';
  const refusal = { code: 429, message: denied(LAUNCHERS, triggered) };
  await expect(evict('virt-launcher-mobile', { dryRun: true })).rejects.toMatchObject(refusal);
  await expect(evict('virt-launcher-mobile', { deleteOptions: { dryRun: ['All'] } })).rejects.toMatchObject(refusal);
  expect(await markOf('mobile')).toBeUndefined();

  await expect(evict('virt-launcher-mobile')).rejects.toMatchObject(refusal);
  expect(await markOf('mobile')).toBe('n1');
  await expect(evict('virt-launcher-mobile')).rejects.toMatchObject({
    code: 429,
    message: denied(LAUNCHERS, `Evacuation in progress: ${triggered}`),
  });
  const { metadata } = await client().of(Vmi).get('mobile', at);
  expect(metadata.annotations ?? {}).not.toHaveProperty(['kubevirt.io/eviction-source']);
});

it('a guest that the descheduler wants to move knows it', async () => {
  await running('descheduled', 'External', false);
  const annotations = { 'requested-by': 'sigs.k8s.io/descheduler' };
  await expect(
    evict('virt-launcher-descheduled', { metadata: { name: 'virt-launcher-descheduled', ...at, annotations } }),
  ).rejects.toMatchObject({ code: 429 });
  const { metadata, status } = await client().of(Vmi).get('descheduled', at);
  expect(metadata.annotations).toMatchObject({ 'kubevirt.io/eviction-source': 'descheduler' });
  expect(status?.evacuationNodeName).toBe('n1');
});

it('a guest that is to stay protects its attachment pods, and one without a strategy goes', async () => {
  const launcher = await running('fixed', 'LiveMigrate', false);
  await expect(evict('virt-launcher-fixed')).rejects.toMatchObject({
    code: 429,
    message: denied(LAUNCHERS, 'VMI fixed is configured with an eviction strategy but is not live-migratable'),
  });
  await createPod('hp-volume-x', owner('v1', 'Pod', launcher), { 'kubevirt.io': 'hotplug-disk' });
  await expect(evict('hp-volume-x')).rejects.toMatchObject({
    code: 429,
    message: denied(
      'hotplug-pod-eviction-interceptor',
      'cannot evict hotplug pod: hp-volume-x associated with running vmi: fixed in namespace default',
    ),
  });
  await running('free', 'None');
  await evict('virt-launcher-free');
  expect(await client().of(Pod).get('virt-launcher-free', at).catch(ignoreNotFound)).toBeUndefined();
});
