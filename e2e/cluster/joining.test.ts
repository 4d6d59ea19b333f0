import { readFile, rm } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { writeKubeconfig } from '@vireo/kube';
import { bootSectorMarker } from '@vireo/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Kubectl, kubectlFor } from '../kubectl.ts';
import { runVireo } from '../vireo.ts';
import { useVms } from '../vms/fixture.ts';
import { guestsOf, socketsOf } from '../vms/leftovers.ts';
import { type Role, startRole } from './role.ts';

const vms = useVms();
const READY = /^The node (\S+) is ready after .* reaches it at (\S+)$/m;
const second = (): string => join(vms.home(), 'second');

const manifest = `
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstance
metadata: { name: there }
spec:
  nodeSelector: { kubernetes.io/hostname: second }
  terminationGracePeriodSeconds: 0
  domain:
    memory: { guest: 16Mi }
    devices: { disks: [{ name: boot, disk: { bus: virtio } }] }
  volumes: [{ name: boot, containerDisk: { image: vireo/boot-sector } }]
`;

let role: Role;

/** The words of the line that `vireo token create` prints, behind `vireo`. */
const joinLine = async (options = ''): Promise<string[]> =>
  (await vms.vireo(`token create ${options}`)).split(' ').slice(1);

const asNode = (home: string, name: string): string[] => ['--home', home, '--node-name', name, '--port', '0'];

beforeAll(async () => {
  role = await startRole([...(await joinLine()), ...asNode(second(), 'second')], READY);
  await vms.create(manifest);
  await vms.kubectl.do('wait vmi/there --for=jsonpath={.status.phase}=Running --timeout=90s');
});
afterAll(async () => {
  await role?.end();
  await rm(socketsOf(second()), { recursive: true, force: true });
});

describe('a second host', () => {
  it('joins by the line that the first one prints, and runs VMs', async () => {
    const { spec, status } = await vms.kubectl.json<{ spec: object; status: object }>('get node second -o json');
    expect(spec).toMatchObject({ taints: [{ key: 'virtual-kubelet.io/provider', effect: 'NoSchedule' }] });
    expect(status).toMatchObject({
      addresses: expect.arrayContaining([{ type: 'InternalIP', address: expect.any(String) }]),
    });
    expect(await guestsOf(second())).toHaveLength(1);
    const console = await vms.console('there');
    await console.close();
  });

  it('shows its logs and what it uses through the server', async () => {
    const pod = (await vms.kubectl.run('get pods -l kubevirt.io=virt-launcher -o name')).stdout.trim();
    await vms.kubectl.until(`logs ${pod}`, new RegExp(bootSectorMarker));
    await vms.kubectl.until('top nodes', /^second +\d+m/m);
    await vms.kubectl.until('top pods', /^virt-launcher-there-\S+ +\d+m/m);
  });

  it.each(['first', 'second'])(
    'the proxy of the %s node shows what a kubelet tells, and leads to no VM',
    async (which) => {
      const names = (await vms.kubectl('get nodes -o name')).split('\n').map((line) => line.replace('node/', ''));
      const node = which === 'second' ? which : (names.find((each) => each !== 'second') ?? '');
      const raw = (path: string) => vms.kubectl.run(`get --raw /api/v1/nodes/${node}/proxy${path}`);
      expect((await raw('/healthz')).stdout).toBe('ok');
      expect((await raw('/metrics/resource')).stdout).toMatch(/^node_cpu_usage_seconds_total \d/m);
      const { node: own, pods } = JSON.parse((await raw('/stats/summary')).stdout);
      expect(own).toMatchObject({ nodeName: node, cpu: { usageCoreNanoSeconds: expect.any(Number) } });
      const launcher = { podRef: { namespace: 'default', name: expect.stringMatching(/^virt-launcher-there-/) } };
      if (which === 'second') expect(pods).toMatchObject([launcher]);
      expect(JSON.parse((await raw('/pods')).stdout).kind).toBe('PodList');
      const vmi = '/v1/namespaces/default/virtualmachineinstances/there/screenshot';
      expect((await raw(vmi)).stderr).toContain('is not served through a node');
    },
  );

  it('answers nobody whom the cluster does not know, and only those whom it lets', async () => {
    const ask = await callerOf(role);
    expect(await ask('/pods')).toMatchObject({ code: 401 });
    expect(await ask('/healthz')).toEqual({ code: 200, text: 'ok' });
    const admin = await pairOf(vms.home(), 'admin');
    expect(await ask('/pods', admin)).toMatchObject({
      code: 200,
      text: expect.stringContaining('virt-launcher-there'),
    });
    expect(await ask('/exec/default/a/b?command=x', admin)).toMatchObject({
      code: 400,
      text: expect.stringContaining('it runs virtual machines'),
    });
    // A node is a client of the server, and nothing to other nodes.
    expect(await ask('/pods', await pairOf(second(), 'node-client'))).toMatchObject({ code: 403 });
    const foreign = await pairOf(vms.home(), 'front-proxy-client');
    expect(await ask('/pods', foreign)).toMatchObject({ code: 401 });
  });

  it('has credentials that are good for nothing of another node', async () => {
    const [kubelet, node] = await Promise.all(['kubelet-client', 'node-client'].map(kubectlAs));
    const first = (await vms.kubectl.run('get nodes -o jsonpath={.items[*].metadata.name}')).stdout
      .split(' ')
      .find((name) => name !== 'second');
    expect(await kubelet?.('get node second -o name')).toBe('node/second');
    expect(await kubelet?.(`label node ${first} a=b`)).toContain('only its own Node object');
    expect(await kubelet?.('get secrets -A')).toContain('forbidden');
    expect(await node?.('get vmi there -o name')).toContain('/there');
    expect(await node?.('get secrets -A')).toContain('forbidden');
  });

  it('cannot take the name of a node that is there', async () => {
    const line = await joinLine();
    const [, address = '', , token = ''] = line;
    const home = (name: string): string => join(vms.home(), name);
    const hash = `sha256:${'0'.repeat(64)}`;
    const outcomes = await Promise.all(
      [
        [...line, ...asNode(home('taken'), 'second')],
        ['join', address, '--token', 'abcdef.0123456789abcdef', ...asNode(home('unknown'), 'third')],
        ['join', address, '--token', token, '--ca-cert-hash', hash, ...asNode(home('other'), 'third')],
      ].map((words) => runVireo(words)),
    );
    expect(outcomes.map(({ code, output }) => [code, output])).toEqual([
      [1, expect.stringContaining('vireo token create --node second')],
      [1, expect.stringContaining('does not know the token abcdef')],
      [1, expect.stringContaining('Do not join it.')],
    ]);
  });

  it('joins in one step with the kubeconfig of an administrator', async () => {
    const third = join(vms.home(), 'third');
    const admin = join(vms.home(), 'kubeconfig');
    const other = await startRole(['node', '--kubeconfig', admin, ...asNode(third, 'third')], READY);
    expect(await vms.kubectl('get node third -o jsonpath={.metadata.labels.type}')).toBe('virtual-kubelet');
    expect(await vms.vireo('token list')).not.toContain('a node that joins');
    await runVireo(['down', '--home', third]);
    await other.end();
    expect(await vms.kubectl('get node third -o jsonpath={.spec.unschedulable}')).toBe('true');
    // It gets no VMs of other hosts that are shut down at the same time, and is open again when it is back.
    const again = await startRole(['node', ...asNode(third, 'third')], READY);
    expect(await vms.kubectl('get node third -o jsonpath={.spec}')).not.toContain('unschedulable');
    expect(await vms.kubectl('get node third -o jsonpath={.metadata.annotations}')).not.toContain('cordoned');
    await again.end();
    await runVireo(['down', '--home', third]);
    await rm(socketsOf(third), { recursive: true, force: true });
  });

  it('goes on with its guests after it was killed, without its certificates if an administrator says so', async () => {
    const [guest] = await guestsOf(second());
    await role.end('SIGKILL');
    await rm(join(second(), 'pki'), { recursive: true });
    role = await startRole([...(await joinLine('--node second')), ...asNode(second(), 'second')], READY);
    expect(role.output()).toContain('Resumed 1 VM');
    expect(await guestsOf(second())).toEqual([guest]);
    expect((await runVireo(['status', '--home', second()])).output).toContain('The node second is running');
  });

  it('stops its guests when told to, and is nobody after it was deleted', async () => {
    const kubelet = await kubectlAs('kubelet-client');
    const { output } = await runVireo(['down', '--force', '--home', second()]);
    expect(output).toContain('Stopped the node second');
    expect(await guestsOf(second())).toEqual([]);
    expect(await kubelet('get node second -o name')).toBe('node/second');
    // As `vireo node delete` does, which first waits whether the agent still runs.
    await vms.kubectl.do('create configmap deleted-node.second --namespace=kube-system');
    expect(await kubelet('get node second -o name')).toContain('Unauthorized');
    const { code, output: refused } = await runVireo(['node', '--home', second(), '--port', '0']);
    expect([code, refused]).toEqual([1, expect.stringContaining('the node was deleted, or the server has another CA')]);
  });
});

/** kubectl with a certificate of the second node. */
async function kubectlAs(name: string): Promise<Kubectl> {
  const { cert, key } = await pairOf(second(), name);
  const path = join(vms.home(), `${name}.kubeconfig`);
  const certificateAuthority = await readFile(join(vms.home(), 'pki/ca.crt'), 'utf8');
  await writeKubeconfig(path, {
    server: `https://127.0.0.1:${vms.server().port}`,
    certificateAuthority,
    certificate: cert,
    key,
  });
  return kubectlFor(path, join(vms.home(), 'kubectl-cache'));
}

interface Pair {
  readonly cert: string;
  readonly key: string;
}

async function pairOf(home: string, name: string): Promise<Pair> {
  const [cert, key] = await Promise.all(
    ['crt', 'key'].map((suffix) => readFile(join(home, 'pki', `${name}.${suffix}`), 'utf8')),
  );
  return { cert: cert ?? '', key: key ?? '' };
}

/** Asks the port of a node, whose certificate must be the cluster's. */
async function callerOf({ output }: Role) {
  const [, , address = ''] = output().match(READY) ?? [];
  const ca = await readFile(join(vms.home(), 'pki/ca.crt'), 'utf8');
  return (path: string, pair?: Pair) =>
    new Promise<{ code: number | undefined; text: string }>((resolve, reject) => {
      request(`https://${address}${path}`, { ca, ...pair, agent: false }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.once('end', () => resolve({ code: response.statusCode, text }));
      })
        .once('error', reject)
        .end();
    });
}
