import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Kubectl, kubectlFor } from '../kubectl.ts';
import { runVireo, startVireo, temporaryHome, type Vireo } from '../vireo.ts';

const AUTOSCALER = fileURLToPath(new URL('../../examples/autoscaler.yaml', import.meta.url));
const SAMPLE = fileURLToPath(new URL('../../examples/hypervisor-sample', import.meta.url));

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

/** Guests that use as much CPU as they are told. */
const workers = `
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstanceReplicaSet
metadata: { name: workers }
spec:
  replicas: 1
  selector: { matchLabels: { app: workers } }
  template:
    metadata:
      labels: { app: workers }
      annotations: { vireo.io/simulated-cpu: '1' }
    spec:
      terminationGracePeriodSeconds: 0
      domain: { memory: { guest: 64Mi }, devices: {} }
`;

let server: Vireo;
let kubectl: Kubectl;
let home: string;
let removeHome: () => Promise<void>;
beforeAll(async () => {
  ({ home, remove: removeHome } = await temporaryHome());
  const options = ['--metric-resolution', '500ms', '--horizontal-pod-autoscaler-sync-period', '500ms'];
  server = await startVireo({ home, vms: true, simulatedNodes: 2, options });
  kubectl = kubectlFor(server.kubeconfig, join(home, 'kubectl-cache'));
});
afterAll(async () => {
  await runVireo(['down', '--home', home, '--force']);
  await removeHome();
});

/** Has new VMs run by another hypervisor; nothing leads back to the default. */
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

const node = (name: string, path: string): Promise<string> => get(`node/${name}`, path);
const HYPERVISOR = '.metadata.labels.hypervisor\\.node\\.kubevirt\\.io/name';
const devices = async (name: string): Promise<string[]> =>
  Object.keys(JSON.parse(await node(name, '.status.allocatable'))).filter((each) => each.startsWith('devices.'));
const vireo = (...words: string[]) => runVireo([...words, '--kubeconfig', server.kubeconfig]);

/** What runs guests here, by whether the server has found KVM. */
const realHypervisor = async (): Promise<string> => {
  const path = '.spec.configuration.developerConfiguration.useEmulation';
  return (await get('-n kubevirt kubevirt/kubevirt', path)) === 'true' ? 'qemu' : 'kvm';
};

/** Tried until it holds: what a change of settings leads to takes a moment. */
const soon = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 30_000, interval: 200 });

describe('the same manifest', () => {
  it('runs on this host, with KVM or by emulation', async () => {
    await run('real');
    expect(await get('-n kubevirt kubevirt/kubevirt', '.status.activeHypervisor')).toBe(await realHypervisor());
    expect(await get('vmi/real', '.status.nodeName')).not.toMatch(/^simulated-/);
    expect(await launcher('real', '.spec.containers[0].resources.limits')).not.toContain('stub');
  });

  it('shows in kubectl top what its node and its launcher use', async () => {
    const [host, pod] = [await get('vmi/real', '.status.nodeName'), await launcher('real', '.metadata.name')];
    await kubectl.until('top node --no-headers', new RegExp(`^${host} +\\d+m +\\d+% +\\d+Mi +\\d+%`, 'm'));
    await kubectl.until('top pod --containers --no-headers', new RegExp(`^${pod} +compute +\\d+m +\\d+Mi`, 'm'));
    // A node whose guests do nothing uses nothing.
    expect(await kubectl('top node simulated-0 --no-headers')).toMatch(/^simulated-0 +0m +0% +0Mi +0%/);
  });

  it('is refused a hypervisor that nobody knows', async () => {
    const answer = await choose({ ...gate('ConfigurableHypervisor'), hypervisorConfiguration: { name: 'xen' } });
    expect(answer).toContain(
      'unknown hypervisor "xen"; choose one of kvm, qemu, hyperv-layered, mshv, hyperv-direct, stub',
    );
  });

  it('runs as before while the gate is closed, whatever the name', async () => {
    await choose({ hypervisorConfiguration: { name: 'stub' } });
    expect(await get('-n kubevirt kubevirt/kubevirt', '.status.activeHypervisor')).toBe(await realHypervisor());
  });

  it('runs as a stub, on simulated nodes, once the cluster says so', async () => {
    const answer = await choose(gate('ConfigurableHypervisor'));
    expect(answer).toContain('new VMs run on stub; running VMs keep their hypervisor');
    await run('stubbed');
    const name = await get('vmi/stubbed', '.status.nodeName');
    expect(name).toMatch(/^simulated-[01]$/);
    expect(await launcher('stubbed', '.spec.containers[0].resources.limits')).toContain(
      '"devices.kubevirt.io/stub":"1"',
    );
    expect(await node(name, HYPERVISOR)).toBe('stub');
    expect(await devices(name)).toEqual(['devices.kubevirt.io/stub']);
    expect(await get('vmi/stubbed', '.status.phase')).toBe('Running');
  });

  it('is one of a set that an autoscaler keeps as large as its load asks for', async () => {
    await kubectl.do('apply -f -', { input: workers });
    await kubectl.do(`apply -f ${AUTOSCALER}`);
    const behavior = { scaleDown: { stabilizationWindowSeconds: 0 } };
    await kubectl.do(`patch hpa workers --type merge -p '${JSON.stringify({ spec: { behavior } })}'`);
    await kubectl.do('wait vmirs/workers --for=jsonpath={.status.readyReplicas}=5 --timeout=60s');
    await kubectl.until('get hpa workers --no-headers', /cpu: \d+%\/500% +1 +5 +5/);
    await kubectl.do('annotate vmi -l app=workers vireo.io/simulated-cpu=0 --overwrite');
    await kubectl.do('wait vmirs/workers --for=jsonpath={.spec.replicas}=1 --timeout=60s');
    const description = (await kubectl.run('describe hpa workers')).stdout;
    expect(description).toContain('New size: 2; reason: cpu resource utilization (percentage of request) above target');
    expect(description).toContain('reason: All metrics below target');
    expect(description).toMatch(/ScalingLimited +True +TooFewReplicas/);
    await kubectl.do('delete hpa/workers vmirs/workers --wait=false');
  });

  it('leaves a node that cannot run it alone, and says so', async () => {
    const host = await get('vmi/real', '.status.nodeName');
    const problem = 'stub needs devices.kubevirt.io/stub: only simulated nodes have it';
    await soon(async () => {
      expect(await node(host, '.status.conditions[?(@.type=="HypervisorReady")].message')).toBe(problem);
      expect(await node(host, HYPERVISOR)).toBe('');
      expect((await kubectl.run(`get events -A --field-selector involvedObject.name=${host}`)).stdout).toContain(
        `node ${host} cannot run new VMs: the cluster uses stub, but ${problem}`,
      );
    });
    await soon(async () => {
      expect(JSON.parse(await get('-n kubevirt kubevirt/kubevirt', '.status.hypervisors'))).toEqual([
        { name: 'stub', ready: false, message: problem, nodes: [host] },
        { name: 'stub', ready: true, nodes: ['simulated-0', 'simulated-1'] },
      ]);
    });
    const { output } = await runVireo(['hypervisors', '--home', home]);
    expect(output).toMatch(/^stub +yes +no/m);
    expect(output).toMatch(/^simulated-0, simulated-1 +stub +yes$/m);
    expect(output).toContain(problem);
  });

  it('is counted by what runs it, as are devices', async () => {
    const { stdout: metrics } = await kubectl.run('get --raw /metrics');
    expect(metrics).toMatch(
      /^kubevirt_vmi_phase_count\{node="simulated-[01]",phase="running",.*hypervisor="stub"\} 1$/m,
    );
    expect(metrics).toMatch(/^kubevirt_vmi_phase_count\{node="[^"]+",phase="running",.*hypervisor="qemu"\} 1$/m);
    expect(metrics).toMatch(
      /^kube_node_status_allocatable\{node="simulated-0",resource="devices_kubevirt_io_stub",unit="integer"\} 110000$/m,
    );
  });

  it('goes through its life there too', async () => {
    await vireo('pause', 'vm', 'stubbed');
    await kubectl.do('wait vmi/stubbed --for=condition=Paused --timeout=30s');
    await vireo('unpause', 'vm', 'stubbed');
    await vireo('stop', 'stubbed');
    await kubectl.do('wait vm/stubbed --for=jsonpath={.status.printableStatus}=Stopped --timeout=60s');
    await vireo('start', 'stubbed');
    await kubectl.do('wait vm/stubbed --for=jsonpath={.status.printableStatus}=Running --timeout=60s');
  });

  it('starts on another node when its node is drained', async () => {
    const from = await get('vmi/stubbed', '.status.nodeName');
    const answer = await kubectl(`drain ${from} --delete-emptydir-data --ignore-daemonsets --force --timeout=60s`);
    expect(answer).toContain(`node/${from} drained`);
    await kubectl.do('wait vm/stubbed --for=condition=Ready --timeout=60s');
    const to = await get('vmi/stubbed', '.status.nodeName');
    expect([from, to].sort()).toEqual(['simulated-0', 'simulated-1']);
    await kubectl.do(`uncordon ${from}`);
  });

  it('goes back to the default when the gate closes, while what runs goes on', async () => {
    const uid = await get('vmi/stubbed', '.metadata.uid');
    await choose(gate());
    await run('again');
    const host = await get('vmi/again', '.status.nodeName');
    expect(host).not.toMatch(/^simulated-/);
    await soon(async () => expect(await node(host, HYPERVISOR)).toBe(await realHypervisor()));
    await choose({ hypervisorConfiguration: null });
    expect(await get('vmi/stubbed', '.metadata.uid')).toBe(uid);
    for (const name of ['stubbed', 'real', 'again']) expect(await get(`vmi/${name}`, '.status.phase')).toBe('Running');
    expect(await get('-n kubevirt kubevirt/kubevirt', '.status.activeHypervisor')).toBe(await realHypervisor());
  });

  it('leaves no node behind that nobody simulates any more', async () => {
    await writeFile(join(home, 'hypervisors.json'), JSON.stringify({ plugins: [SAMPLE, 'not-there'] }), {
      mode: 0o600,
    });
    const { output } = await runVireo(['hypervisors', '--home', home]);
    expect(output).toMatch(/hypervisor-sample +yes +no +sample +it was not in the list when the server started/);
    await server.stop();
    server = await startVireo({ home, vms: true, simulatedNodes: 1 });
    kubectl = kubectlFor(server.kubeconfig, join(home, 'kubectl-cache'));
    const host = await get('vmi/real', '.status.nodeName');
    const nodes = await get('nodes', '.items[*].metadata.name');
    expect(nodes.split(' ').sort()).toEqual([host, 'simulated-0'].sort());
    expect(await get('vmi/real', '.status.phase')).toBe('Running');
  });

  it('runs by a plug-in that the start has loaded, and the plug-in that it has not is named', async () => {
    await choose({ ...gate('ConfigurableHypervisor'), hypervisorConfiguration: { name: 'sample' } });
    await run('sampled');
    expect(await launcher('sampled', '.spec.containers[0].resources.limits')).toContain('devices.kubevirt.io/sample');
    expect(await get('vmi/sampled', '.metadata.labels')).toContain('sample.example.com/tier');
    expect(await node(await get('vmi/sampled', '.status.nodeName'), HYPERVISOR)).toBe('sample');
    const { output } = await runVireo(['hypervisors', '--home', home]);
    expect(output).toMatch(/^sample +yes +yes/m);
    expect(output).toMatch(/^not-there +yes +no +- +.*package\.json does not exist/m);
    expect((await runVireo(['status', '--home', home])).output).toMatch(
      /plug-in +not-there is not used: .*package\.json does not exist/,
    );
    const degraded = '.status.conditions[?(@.type=="Degraded")].message';
    expect(await get('-n kubevirt kubevirt/kubevirt', degraded)).toMatch(
      /The hypervisor plug-in not-there is not used: .*package\.json does not exist/,
    );
  });
});
