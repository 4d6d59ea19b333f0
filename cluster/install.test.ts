import { CustomResourceDefinition, isConditionTrue } from '@vireo/api';
import { Client, httpTransport } from '@vireo/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Kubectl, kubectlFor } from '../e2e/kubectl.ts';
import { runVireo, typeVireo } from '../e2e/vireo.ts';
import { type ControlPlane, startControlPlane } from './controlPlane.ts';

const stack = new AsyncDisposableStack();
let plane: ControlPlane;
let kubectl: Kubectl;
let admin: Client;
beforeAll(async () => {
  plane = stack.use(await startControlPlane());
  kubectl = kubectlFor(plane.kubeconfig, `${plane.directory}/kubectl-cache`);
  admin = new Client(httpTransport(plane.admin));
  stack.defer(() => admin.close());
});
afterAll(() => stack.disposeAsync());

const vireo = (command: string): Promise<string> => typeVireo(command, plane.kubeconfig);
const install = (options = ''): Promise<string> =>
  vireo(`install ${plane.programs.minor < 30 ? '--allow-old-server' : ''} ${options}`);

/** Without what kubectl says of APIs that nobody serves yet. */
const shown = async (command: string): Promise<string> => (await kubectl.run(command)).stdout.trim();

const definition = (manager: string): string =>
  JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'virtualmachines.kubevirt.io', labels: { 'app.kubernetes.io/managed-by': manager } },
    spec: {
      group: 'kubevirt.io',
      scope: 'Namespaced',
      names: { plural: 'virtualmachines', kind: 'VirtualMachine' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  });

describe('vireo install', () => {
  it('refuses where the kinds are KubeVirt’s, and leaves all as it is', async () => {
    await kubectl.do('apply -f -', { input: definition('virt-operator') });
    expect(await install()).toMatch(/KubeVirt \(virt-operator\) owns virtualmachines\.kubevirt\.io[\s\S]*exit code 1/);
    expect(await kubectl('get namespace kubevirt')).toContain('NotFound');
    await kubectl.do('delete crd virtualmachines.kubevirt.io');
  });

  it.runIf(Number(process.env.VIREO_CLUSTER_VERSION?.split('.')[1]) < 30)(
    'names what an old server lacks',
    async () => {
      expect(await vireo('install')).toMatch(/supports 1\.30 and newer[\s\S]*rules in CEL[\s\S]*exit code 1/);
    },
  );

  it('makes the server serve VMs, and names DaemonSets that would reach their nodes', async () => {
    const proxy = {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'kube-proxy', namespace: 'kube-system' },
      spec: {
        selector: { matchLabels: { app: 'proxy' } },
        template: {
          metadata: { labels: { app: 'proxy' } },
          spec: { tolerations: [{ operator: 'Exists' }], containers: [{ name: 'proxy', image: 'proxy' }] },
        },
      },
    };
    await kubectl.do('apply -f -', { input: JSON.stringify(proxy) });
    const output = await install();
    expect(output).toContain('is installed on Kubernetes');
    const [command = ''] = /(?<=kubectl ).*patch daemonset kube-proxy.*$/m.exec(output) ?? [];
    expect(await shown(command)).toBe('daemonset.apps/kube-proxy patched');
    expect(await install()).not.toContain('kube-proxy');
    const { items } = await admin.of(CustomResourceDefinition).list();
    const ours = items.filter(({ spec }) => spec.group.endsWith('kubevirt.io'));
    expect(ours.length).toBeGreaterThan(20);
    expect(items.filter((each) => !isConditionTrue(each, 'Established')).map(({ metadata }) => metadata.name)).toEqual(
      [],
    );
    expect(await shown('get kubevirt -A --no-headers')).toMatch(/^kubevirt +kubevirt/);
    expect(await shown('get priorityclass kubevirt-cluster-critical -o jsonpath={.value}')).toBe('1000000000');
    expect(await shown('get vmclusterinstancetypes -o name')).toContain('u1.');
  });

  it('fails after its time where nobody answers', async () => {
    expect(await install('--wait --timeout 1s')).toMatch(
      /not available after 1\.0 s:\n {2}- no controllers lead: vireo controllers [\s\S]*exit code 124/,
    );
  });
});

describe('vireo uninstall', () => {
  it('keeps the kinds, and a later install goes on', async () => {
    expect(await vireo('uninstall')).toContain('VMs, disks and settings are kept');
    expect(await kubectl('get validatingwebhookconfigurations,mutatingwebhookconfigurations')).toContain(
      'No resources found',
    );
    expect(await kubectl('get apiservices v1.subresources.kubevirt.io')).toContain('NotFound');
    expect(await kubectl('get vm')).toBe('No resources found in default namespace.');
    expect(await install()).toContain('is installed');
  });

  it('deletes everything with --delete-data, without anybody to ask', async () => {
    expect(await vireo('uninstall --delete-data')).toContain('its VMs and disks are deleted');
    expect(await shown('get crd -o name')).toBe('');
    await kubectl.until('get namespace kubevirt', /NotFound/);
    expect(await vireo('uninstall')).toMatch(/Vireo is not installed[\s\S]*exit code 1/);
  });
});

describe('vireo install --print', () => {
  it.runIf(Number(process.env.VIREO_CLUSTER_VERSION?.split('.')[1]) >= 30)(
    'is applied by kubectl, kinds first',
    async () => {
      for (const part of ['crds', 'objects']) {
        const input = (await runVireo(['install', '--print', part])).output;
        await kubectl.do('apply --server-side -f -', { input });
        if (part === 'crds') await kubectl.do('wait --for condition=Established -f - --timeout=60s', { input });
      }
      expect(await install()).toContain('is installed');
    },
  );
});
