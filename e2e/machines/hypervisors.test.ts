import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Kubectl, kubectlFor } from '../kubectl.ts';
import { runVireo, startVireo, temporaryHome, type Vireo } from '../vireo.ts';

/** The same for every hypervisor. */
const manifest = (name: string): string => `
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: { name: ${name} }
spec:
  runStrategy: Always
  template:
    spec:
      terminationGracePeriodSeconds: 0
      domain:
        memory: { guest: 64Mi }
        devices:
          disks: [{ name: root, disk: { bus: virtio } }]
      volumes: [{ name: root, containerDisk: { image: vireo/boot-sector } }]
`;

let server: Vireo;
let kubectl: Kubectl;
let home: string;
let removeHome: () => Promise<void>;
beforeAll(async () => {
  ({ home, remove: removeHome } = await temporaryHome());
  server = await startVireo({ home, machines: true, simulatedNodes: 2 });
  kubectl = kubectlFor(server.kubeconfig, join(home, 'kubectl-cache'));
});
afterAll(async () => {
  await runVireo(['down', '--home', home, '--force']);
  await removeHome();
});

/** Has new machines run by another hypervisor; nothing leads back to the default. */
const choose = (configuration: object): Promise<string> =>
  kubectl(`-n kubevirt patch kubevirt kubevirt --type merge -p '${JSON.stringify({ spec: { configuration } })}'`);
const gate = (...featureGates: string[]) => ({ developerConfiguration: { featureGates } });
const get = async (what: string, path: string): Promise<string> =>
  (await kubectl.run(`get ${what} -o jsonpath='{${path}}'`)).stdout;

async function run(name: string): Promise<void> {
  await kubectl.do('apply -f -', { input: manifest(name) });
  await kubectl.do(`wait vm/${name} --for=jsonpath={.status.printableStatus}=Running --timeout=90s`);
}

const launcher = (name: string, path: string): Promise<string> =>
  get(`pods -l vm.kubevirt.io/name=${name}`, `.items[0]${path}`);

describe('the same manifest', () => {
  it('runs by emulation, on this host', async () => {
    await run('real');
    expect(await get('vmi/real', '.status.nodeName')).not.toMatch(/^simulated-/);
    expect(await launcher('real', '.spec.containers[0].resources.limits')).not.toContain('stub');
  });

  it('is refused a hypervisor that nobody knows', async () => {
    const answer = await choose({ ...gate('ConfigurableHypervisor'), hypervisorConfiguration: { name: 'xen' } });
    expect(answer).toContain(
      'there is no hypervisor "xen" (known ones: kvm, qemu, hyperv-layered, mshv, hyperv-direct, stub)',
    );
  });

  it('runs as a stub, on simulated nodes, once the cluster says so', async () => {
    const answer = await choose({ ...gate('ConfigurableHypervisor'), hypervisorConfiguration: { name: 'stub' } });
    expect(answer).toContain('new machines run by stub; those that run already stay as they are');
    await run('stubbed');
    const node = await get('vmi/stubbed', '.status.nodeName');
    expect(node).toMatch(/^simulated-[01]$/);
    expect(await launcher('stubbed', '.spec.containers[0].resources.limits')).toContain(
      '"devices.kubevirt.io/stub":"1"',
    );
    expect(await get(`node/${node}`, '.metadata.labels.hypervisor\\.node\\.kubevirt\\.io/name')).toBe('stub');
    const vmi = await get('vmi/stubbed', '.status.phase');
    expect(vmi).toBe('Running');
  });

  it('goes through its life there too', async () => {
    const vireo = (...words: string[]) => runVireo([...words, '--kubeconfig', server.kubeconfig]);
    await vireo('pause', 'vm', 'stubbed');
    await kubectl.do('wait vmi/stubbed --for=condition=Paused --timeout=30s');
    await vireo('unpause', 'vm', 'stubbed');
    await vireo('stop', 'stubbed');
    await kubectl.do('wait vm/stubbed --for=jsonpath={.status.printableStatus}=Stopped --timeout=60s');
    await vireo('start', 'stubbed');
    await kubectl.do('wait vm/stubbed --for=jsonpath={.status.printableStatus}=Running --timeout=60s');
  });

  it('goes back to the default when the gate closes, while what runs goes on', async () => {
    const uid = await get('vmi/stubbed', '.metadata.uid');
    await choose(gate());
    await run('again');
    expect(await get('vmi/again', '.status.nodeName')).not.toMatch(/^simulated-/);
    expect(await get('vmi/stubbed', '.metadata.uid')).toBe(uid);
    expect(await get('vmi/stubbed', '.status.phase')).toBe('Running');
    await choose({ hypervisorConfiguration: null });
    expect(await get('vmi/stubbed', '.status.phase')).toBe('Running');
    expect(await get('vmi/real', '.status.phase')).toBe('Running');
  });
});
