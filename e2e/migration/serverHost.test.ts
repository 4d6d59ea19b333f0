import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Node } from '@vireo/api';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Role, startRole } from '../cluster/role.ts';
import { type Kubectl, kubectlFor } from '../kubectl.ts';
import { runVireo, startVireo, temporaryHome, typeVireo, type Vireo } from '../vireo.ts';
import { guestsOf, socketsOf } from '../vms/leftovers.ts';
import { prefer } from './guests.ts';
import { isWhole } from './specs.ts';

const READY = /^The node (\S+) is ready after .* reaches it at (\S+)$/m;
const ACTIONS = '/apis/subresources.harvesterhci.io/v1beta1/nodes';
const IN_MAINTENANCE = '{.metadata.annotations.harvesterhci\\.io/maintain-status}';

const disk = (name: string) => ({ name, disk: { bus: 'virtio' } });
const GUEST = {
  evictionStrategy: 'LiveMigrate',
  terminationGracePeriodSeconds: 60,
  domain: { memory: { guest: '16Mi' }, devices: { autoattachPodInterface: false, disks: [disk('boot')] } },
  volumes: [{ name: 'boot', containerDisk: { image: 'vireo/boot-sector' } }],
};
/** Enough memory is in use that it does not move in a moment. */
const LINUX = {
  domain: {
    memory: { guest: '192Mi' },
    devices: { autoattachPodInterface: false, rng: {}, disks: [disk('boot'), disk('settings')] },
  },
  volumes: [
    { name: 'boot', containerDisk: { image: 'vireo/guest' } },
    { name: 'settings', cloudInitNoCloud: { userData: '#cloud-config\n' } },
  ],
};
const vmi = (name: string, more: object, labels: Record<string, string> = {}): string =>
  JSON.stringify({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name, labels },
    spec: { ...GUEST, ...more },
  });

/** A VM that only one node can have. */
const bound = (name: string, node: string): string =>
  JSON.stringify({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name },
    spec: {
      runStrategy: 'Always',
      template: { spec: { ...GUEST, nodeSelector: { 'kubernetes.io/hostname': node } } },
    },
  });

/** Evictions of one VM fail. */
const policy = (launchersOf: string): string => `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: { name: stays }
spec:
  matchConstraints:
    resourceRules: [{ apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods/eviction] }]
  validations:
  - expression: "!request.name.startsWith('virt-launcher-${launchersOf}-')"
    message: it has work to do
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: { name: stays }
spec: { policyName: stays, validationActions: [Deny] }
`;

/** Migrations of VMIs with the label take longer than any test. */
const slow = `
apiVersion: migrations.kubevirt.io/v1alpha1
kind: MigrationPolicy
metadata: { name: slow }
spec:
  bandwidthPerMigration: 1Ki
  selectors: { virtualMachineInstanceSelector: { pace: slow } }
`;

describe.runIf(isWhole && process.getuid?.() === 0)('hosts that end', () => {
  let home: Awaited<ReturnType<typeof temporaryHome>>;
  let server: Vireo;
  let kubectl: Kubectl;
  let role: Role | undefined;
  let first = '';
  const second = (): string => join(home.home, 'second');
  const asSecond = (): string[] => ['--home', second(), '--node-name', 'second', '--port', '0'];
  const nodeOf = async (name: string) => (await kubectl.json<Vmi>(`get vmi ${name} -o json`)).status?.nodeName;
  const node = () => kubectl.json<Node>('get node second -o json');
  const apply = (input: string): Promise<void> => kubectl.do('apply -f -', { input });
  const untilMigratable = (name: string): Promise<void> =>
    kubectl.do(`wait vmi/${name} --for=condition=LiveMigratable --timeout=180s`);
  const ask = (action: string): Promise<string> => kubectl(`get --raw ${ACTIONS}/second/${action}`);
  const act = (action: string, input: object = {}): Promise<string> =>
    kubectl(`create --raw ${ACTIONS}/second/${action} -f -`, { input: JSON.stringify(input) });
  beforeAll(async () => {
    home = await temporaryHome();
    server = await startVireo({ home: home.home, vms: true });
    kubectl = kubectlFor(server.kubeconfig, join(home.home, 'kubectl-cache'));
    first = await kubectl('get nodes -o jsonpath={.items[0].metadata.name}');
    const words = (await typeVireo('token create', server.kubeconfig)).split(' ').slice(1);
    role = await startRole([...words, ...asSecond()], READY);
    await apply(vmi('mobile', { affinity: prefer('second') }));
    await untilMigratable('mobile');
  }, 300_000);
  afterAll(async () => {
    await role?.end();
    await server?.stop();
    for (const each of [second(), home.home]) await runVireo(['down', '--force', '--home', each]);
    await rm(socketsOf(second()), { recursive: true, force: true });
    await home?.remove();
  }, 120_000);

  it('a host that has joined is not maintained while a VM cannot leave it, and it says which', async () => {
    expect(await nodeOf('mobile')).toBe('second');
    expect(await ask('maintenancePossible')).toBe('');
    await apply(bound('bound', 'second'));
    await kubectl.until('get vmi bound -o jsonpath={.status.phase}', 'Running');
    const refusal = /Conflict.*default\/bound cannot move to another node/;
    expect(await ask('maintenancePossible')).toMatch(refusal);
    expect(await ask('maintenancePossible?force=true')).toBe('');
    expect(await act('enableMaintenanceMode')).toMatch(refusal);
    expect(JSON.parse(await ask('listUnhealthyVM'))).toEqual([
      { message: 'NodeSchedulingRequirementsNotMet', vms: ['default/bound'] },
    ]);
    const { metadata, spec } = await node();
    expect(spec?.unschedulable ?? false).toBe(false);
    expect(Object.keys(metadata.annotations ?? {}).filter((key) => key.includes('harvester'))).toEqual([]);
    expect(await guestsOf(second())).toHaveLength(2);
  }, 240_000);

  it('a host that has joined is maintained by force: what can move does, and the other VM is off', async () => {
    const before = await kubectl.json<Vmi>('get vmi mobile -o json');
    expect(await act('enableMaintenanceMode', { force: 'true' })).toBe('');
    await kubectl.until(`get node second -o jsonpath=${IN_MAINTENANCE}`, 'completed');
    const { metadata, status } = await kubectl.json<Vmi>('get vmi mobile -o json');
    expect([metadata.uid, status?.nodeName, status?.phase]).toEqual([before.metadata.uid, first, 'Running']);
    expect(await kubectl('get vm bound -o jsonpath={.spec.runStrategy}')).toBe('Halted');
    expect(await guestsOf(second())).toEqual([]);
    expect((await node()).spec?.unschedulable).toBe(true);

    expect(await act('disableMaintenanceMode')).toBe('');
    expect((await node()).spec?.unschedulable ?? false).toBe(false);
    // It was forced, so that nobody starts it again.
    expect(await kubectl('get vm bound -o jsonpath={.spec.runStrategy}')).toBe('Halted');
  }, 240_000);

  it('--drain-timeout is how long VMs may take to move; what has not then shuts down, and vireo down names it', async () => {
    await apply(slow);
    await apply(vmi('slow', { ...LINUX, affinity: prefer('second') }, { pace: 'slow' }));
    await kubectl.do('wait vmi/slow --for=condition=AgentConnected --timeout=180s');
    expect(await nodeOf('slow')).toBe('second');
    const { code, output } = await runVireo(['down', '--home', second(), '--drain-timeout', '5s']);
    expect(code, output).toBe(0);
    expect(output).toContain('1 VM did not move in time and shuts down here: default/slow');
    expect(output).toMatch(/did not move in time.*Stopped the node second.*Stopped 1 VM and libvirtd/s);
    expect(output).not.toContain('Moved');
    expect(await guestsOf(second())).toEqual([]);
    await role?.end();
    role = await startRole(['node', ...asSecond()], READY);
    // Neither node has it any more.
    await kubectl.until('get vmi slow -o jsonpath={.status.phase}', /^(Failed|Succeeded)$/);
    await kubectl.do('delete vmi slow --timeout=60s');
  }, 240_000);

  it('the host of the server has VMs move to other hosts, names the one that may not, and takes the server down last', async () => {
    await apply(vmi('refused', { nodeSelector: { 'kubernetes.io/hostname': first } }));
    await untilMigratable('refused');
    expect(await nodeOf('mobile')).toBe(first);
    await apply(policy('refused'));
    const { code, output } = await runVireo(['down', '--home', home.home]);
    expect(code, output).toBe(0);
    expect(output).toMatch(/VM default\/refused is not moved to another node and shuts down here: .*it has work to do/);
    expect(output).toMatch(/refused is not moved.*Moved 1 VM to other.*Stopped the server.*Stopped 1 VM and libvirtd/s);
    expect(await guestsOf(second())).toHaveLength(1);
    // The home of the second host is below this one.
    expect(await guestsOf(join(home.home, 'machines'))).toEqual([]);
  }, 240_000);
});
