import { hostnameOf } from '@vireo/api/kinds/kubevirt/hostname.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { clusterConfig, registerHypervisor } from '@vireo/hypervisor';
import { describe, expect, it } from 'vitest';
import { vmiWith } from '../testing/objects.ts';
import { vmiId } from './hostname.ts';
import { launcherName, launcherPrefix } from './launcherName.ts';
import { launcherPod } from './launcherPod.ts';

const emulation = clusterConfig({
  apiVersion: 'kubevirt.io/v1',
  kind: 'KubeVirt',
  metadata: {},
  spec: { configuration: { developerConfiguration: { useEmulation: true } } },
});
const domain: Vmi['spec']['domain'] = {
  devices: { interfaces: [{ name: 'default', masquerade: {} }] },
  machine: { type: 'q35' },
  cpu: { cores: 2 },
  memory: { guest: '1Gi' },
};
const web = vmiWith(
  {},
  {
    labels: { app: 'web' },
    annotations: {
      note: 'kept',
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
      'kubevirt.io/latest-observed-api-version': 'v1',
    },
  },
  { domain, architecture: 'amd64', terminationGracePeriodSeconds: 60, subdomain: 'internal', tolerations: [] },
);

describe('the launcher of a VMI', () => {
  it('looks as in KubeVirt', () => {
    expect(launcherPod(web, clusterConfig(undefined))).toEqual({
      metadata: {
        name: launcherName(web),
        generateName: 'virt-launcher-web-',
        namespace: 'shop',
        labels: {
          app: 'web',
          'kubevirt.io': 'virt-launcher',
          'kubevirt.io/created-by': 'vmi-uid',
          'vm.kubevirt.io/name': 'web',
          'vmi.kubevirt.io/id': 'web',
        },
        annotations: {
          note: 'kept',
          'kubevirt.io/domain': 'web',
          'kubectl.kubernetes.io/default-container': 'compute',
          'kubevirt.io/migrationTransportUnix': 'true',
          'descheduler.alpha.kubernetes.io/request-evict-only': '',
          // 220Mi of programs, 8Mi a processor, 8Mi for I/O, 32Mi for video.
          'kubevirt.io/memory-overhead-bytes': String((220 + 16 + 8 + 32) * 1024 ** 2),
        },
        ownerReferences: [
          {
            apiVersion: 'kubevirt.io/v1',
            kind: 'VirtualMachineInstance',
            name: 'web',
            uid: 'vmi-uid',
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: {
        hostname: 'web',
        subdomain: 'internal',
        restartPolicy: 'Never',
        terminationGracePeriodSeconds: 90,
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: { runAsUser: 107, runAsGroup: 107, runAsNonRoot: true, fsGroup: 107 },
        readinessGates: [{ conditionType: 'kubevirt.io/virtual-machine-unpaused' }],
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                {
                  matchExpressions: [
                    { key: 'node-labeller.kubevirt.io/obsolete-host-model', operator: 'DoesNotExist' },
                  ],
                },
              ],
            },
          },
        },
        nodeSelector: {
          'kubevirt.io/schedulable': 'true',
          'hypervisor.node.kubevirt.io/name': 'kvm',
          'kubernetes.io/arch': 'amd64',
          'machine-type.node.kubevirt.io/q35': 'true',
        },
        tolerations: [
          { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
          { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
          { key: 'virtual-kubelet.io/provider', operator: 'Exists' },
        ],
        containers: [
          {
            name: 'compute',
            image: 'vireo/virt-launcher',
            imagePullPolicy: 'IfNotPresent',
            command: [
              '/usr/bin/virt-launcher-monitor',
              ...['--qemu-timeout', expect.stringMatching(/^(2[4-9]\d|3[0-5]\d)s$/)],
              ...['--name', 'web'],
              ...['--uid', 'vmi-uid'],
              ...['--namespace', 'shop'],
              ...['--kubevirt-share-dir', '/var/run/kubevirt'],
              ...['--ephemeral-disk-dir', '/var/run/kubevirt-ephemeral-disks'],
              ...['--container-disk-dir', '/var/run/kubevirt/container-disks'],
              ...['--grace-period-seconds', '75'],
              ...['--hook-sidecars', '0'],
              ...['--ovmf-path', '/usr/share/OVMF'],
              ...['--disk-memory-limit', '2000M'],
              ...['--hypervisor', 'kvm'],
              '--run-as-nonroot',
            ],
            resources: {
              requests: { cpu: '200m', memory: '1300Mi', 'ephemeral-storage': '50M' },
              limits: {
                'devices.kubevirt.io/kvm': '1',
                'devices.kubevirt.io/tun': '1',
                'devices.kubevirt.io/vhost-net': '1',
              },
            },
            securityContext: {
              runAsUser: 107,
              runAsGroup: 107,
              runAsNonRoot: true,
              allowPrivilegeEscalation: false,
              capabilities: { add: ['NET_BIND_SERVICE'], drop: ['ALL'] },
            },
          },
        ],
        volumes: [],
      },
    });
  });

  it('says so where the guest is emulated, and asks for no hardware', () => {
    const [compute] = launcherPod(web, emulation).spec?.containers ?? [];
    expect(compute?.command).toEqual(expect.arrayContaining(['--hypervisor', 'kvm', '--allow-emulation']));
    expect(compute?.resources?.limits).toEqual({ 'devices.kubevirt.io/tun': '1' });
  });

  it('is a pod of root where the cluster wants that', () => {
    const config = { ...clusterConfig(undefined), gates: new Set(['Root']) };
    const { securityContext, containers } = launcherPod(web, config).spec ?? { containers: [] };
    expect(securityContext).toEqual({ runAsUser: 0 });
    expect(containers[0]?.securityContext).toEqual({
      runAsUser: 0,
      capabilities: { add: ['NET_BIND_SERVICE', 'SYS_NICE'] },
    });
  });

  it('names the claims that the guest lives on, but none that is plugged in later', () => {
    const volumes = [
      { name: 'root', dataVolume: { name: 'root-dv' } },
      { name: 'data', persistentVolumeClaim: { claimName: 'data-claim' } },
      { name: 'extra', persistentVolumeClaim: { claimName: 'later', hotpluggable: true } },
      { name: 'scratch', ephemeral: { persistentVolumeClaim: { claimName: 'base' } } },
      { name: 'image', containerDisk: { image: 'alpine' } },
    ];
    expect(launcherPod(vmiWith({}, {}, { domain, volumes }), emulation).spec?.volumes).toEqual([
      { name: 'root', persistentVolumeClaim: { claimName: 'root-dv' } },
      { name: 'data', persistentVolumeClaim: { claimName: 'data-claim' } },
      { name: 'scratch', persistentVolumeClaim: { claimName: 'base' } },
    ]);
  });
});

describe('names', () => {
  const named = (name: string, spec: Partial<Vmi['spec']> = {}) => vmiWith({}, { name }, spec);
  const long = 'a'.repeat(62);

  it('names every Secret and ConfigMap that the node reads for the VMI', () => {
    const volumes: Vmi['spec']['volumes'] = [
      { name: 'a', cloudInitNoCloud: { secretRef: { name: 'user-data' }, networkDataSecretRef: { name: 'network' } } },
      { name: 'b', cloudInitConfigDrive: { secretRef: { name: 'user-data' } } },
      { name: 'c', secret: { secretName: 'plain' } },
      { name: 'd', configMap: { name: 'settings' } },
      { name: 'e', sysprep: { secret: { name: 'answers' } } },
      { name: 'f', sysprep: { configMap: { name: 'unattended' } } },
      { name: 'g', serviceAccount: { serviceAccountName: 'robot' } },
      { name: 'h', containerDisk: { image: 'i', imagePullSecret: 'pull' } },
    ];
    const source = (secretName: string) => ({ secret: { secretName } });
    const accessCredentials: Vmi['spec']['accessCredentials'] = [
      { sshPublicKey: { source: source('keys'), propagationMethod: { noCloud: {} } } },
      { userPassword: { source: source('passwords'), propagationMethod: { qemuGuestAgent: {} } } },
    ];
    const firmware = { kernelBoot: { container: { image: 'k', imagePullSecret: 'pull-kernel' } } };
    const spec = { domain: { ...domain, firmware }, volumes, accessCredentials };
    const pod = launcherPod(vmiWith({}, {}, spec), emulation).spec;
    expect(pod?.imagePullSecrets).toEqual([{ name: 'pull' }, { name: 'pull-kernel' }]);
    const [objects] = pod?.volumes ?? [];
    const named = objects?.projected?.sources?.map(
      ({ secret, configMap }) => secret?.name ?? (configMap ? `map ${configMap.name}` : 'token'),
    );
    expect(named).toEqual([
      ...['user-data', 'network', 'plain', 'answers', 'keys', 'passwords'],
      ...['map settings', 'map unattended', 'map kube-root-ca.crt', 'token'],
    ]);
  });

  it('the launcher runs as the service account whose token the guest is given', () => {
    const volumes = [{ name: 'token', serviceAccount: { serviceAccountName: 'robot' } }];
    expect(launcherPod({ ...web, spec: { ...web.spec, volumes } }, emulation).spec?.serviceAccountName).toBe('robot');
    const named = { ...web, spec: { ...web.spec, serviceAccountName: 'clerk' } };
    expect(launcherPod(named, emulation).spec?.serviceAccountName).toBe('clerk');
  });

  it('the launcher has one name for one VMI', () => {
    expect(launcherName(web)).toMatch(/^virt-launcher-web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(launcherName(web)).toBe(launcherName(web));
    expect(launcherName(vmiWith({}, { uid: 'another' }))).not.toBe(launcherName(web));
  });

  it('the longest name of a VMI still gives a name to generate from', () => {
    const dotted = named(`${'a'.repeat(237)}.${'b'.repeat(15)}`);
    expect(launcherPrefix(named('c'.repeat(253)))).toBe(`virt-launcher-${'c'.repeat(238)}-`);
    expect(launcherPrefix(dotted)).toBe(`virt-launcher-${'a'.repeat(237)}-`);
  });

  it.each<[string, Vmi]>([
    ['given', named('web', { hostname: 'given' })],
    ['web', named('web.example.com')],
    [`${long}b`, named(`${long}bcd`)],
    [long, named(`${long}--x`)],
  ])('the host name %s', (expected, vmi) => {
    expect(hostnameOf(vmi)).toBe(expected);
  });

  it('long names stay apart when they are cut to a label', () => {
    const [one, other] = [vmiId(named(`${long}xxxx1`)), vmiId(named(`${long}xxxx2`))];
    expect(one.length).toBeLessThanOrEqual(63);
    expect(one).not.toBe(other);
    expect(vmiId(named('web.example.com'))).toBe('web.example.com');
  });

  it('the launcher requests the devices of its hypervisor, and optional ones only where some node has them', () => {
    const unregister = registerHypervisor({
      name: 'sample',
      runtime: {
        deviceRequests: [
          { device: 'sample', path: '/dev/sample' },
          { device: 'extra', path: '/dev/extra', isOptional: true },
        ],
        tolerations: [{ key: 'sample', operator: 'Exists' }],
        memoryOverheadBytes: () => 0n,
        memlockBytes: () => undefined,
      },
    });
    const config = { ...clusterConfig(undefined), hypervisor: 'sample' };
    const limits = (offered?: ReadonlySet<string>) =>
      Object.keys(launcherPod(web, config, undefined, offered).spec?.containers[0]?.resources?.limits ?? {});
    expect(limits()).toContain('devices.kubevirt.io/sample');
    expect(limits()).not.toContain('devices.kubevirt.io/extra');
    expect(limits(new Set(['devices.kubevirt.io/extra']))).toContain('devices.kubevirt.io/extra');
    expect(launcherPod(web, config).spec?.tolerations).toContainEqual({ key: 'sample', operator: 'Exists' });
    unregister();
  });
});
