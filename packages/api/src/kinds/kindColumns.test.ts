import { describe, expect, it } from 'vitest';
import type { Cell, Kind } from '../kind.ts';
import { creationTimestamp, row } from '../testing/row.ts';
import * as kinds from './index.ts';

const ready = (status: string) => ({ conditions: [{ type: 'Ready', status }] });
const template = {
  spec: {
    containers: [
      { name: 'a', image: 'i:1' },
      { name: 'b', image: 'j' },
    ],
  },
};
const selector = { matchLabels: { app: 'web' } };
const event = {
  metadata: { name: 'e' },
  type: 'Normal',
  reason: 'Started',
  action: 'Start',
  reportingComponent: 'kubelet',
};

const cases: [string, Kind, object, [string, Cell][]][] = [
  [
    'namespace',
    kinds.Namespace,
    { status: { phase: 'Active' } },
    [
      ['Status', 'Active'],
      ['Age', '24h'],
    ],
  ],
  [
    'secret',
    kinds.Secret,
    { type: 'Opaque', data: { a: '', b: '' } },
    [
      ['Type', 'Opaque'],
      ['Data', 2],
      ['Age', '24h'],
    ],
  ],
  [
    'config map',
    kinds.ConfigMap,
    { data: { a: '' }, binaryData: { b: '' } },
    [
      ['Data', 2],
      ['Age', '24h'],
    ],
  ],
  [
    'service account',
    kinds.ServiceAccount,
    {},
    [
      ['Secrets', 0],
      ['Age', '24h'],
    ],
  ],
  [
    'lease',
    kinds.Lease,
    { spec: { holderIdentity: 'me' } },
    [
      ['Holder', 'me'],
      ['Age', '24h'],
    ],
  ],
  ['role', kinds.Role, {}, [['Created At', creationTimestamp]]],
  [
    'node that is cordoned',
    kinds.Node,
    {
      metadata: { labels: { 'node-role.kubernetes.io/worker': '', 'node-role.kubernetes.io/control-plane': '' } },
      spec: { unschedulable: true },
      status: { ...ready('True'), nodeInfo: { kubeletVersion: 'v1.32.0' } },
    },
    [
      ['Status', 'Ready,SchedulingDisabled'],
      ['Roles', 'control-plane,worker'],
      ['Age', '24h'],
      ['Version', 'v1.32.0'],
    ],
  ],
  [
    'node that is down',
    kinds.Node,
    { status: ready('Unknown') },
    [
      ['Status', 'NotReady'],
      ['Roles', '<none>'],
      ['Age', '24h'],
      ['Version', ''],
    ],
  ],
  [
    'node that never spoke',
    kinds.Node,
    {},
    [
      ['Status', 'Unknown'],
      ['Roles', '<none>'],
      ['Age', '24h'],
      ['Version', ''],
    ],
  ],
  [
    'service with a node port',
    kinds.Service,
    {
      spec: {
        type: 'NodePort',
        clusterIP: '10.0.0.1',
        ports: [
          { port: 80, nodePort: 30080, protocol: 'TCP' },
          { port: 53, protocol: 'UDP' },
        ],
      },
    },
    [
      ['Type', 'NodePort'],
      ['Cluster-IP', '10.0.0.1'],
      ['External-IP', '<none>'],
      ['Port(s)', '80:30080/TCP,53/UDP'],
      ['Age', '24h'],
    ],
  ],
  [
    'load balancer that waits',
    kinds.Service,
    { spec: { type: 'LoadBalancer', clusterIPs: ['10.0.0.1'] } },
    [
      ['Type', 'LoadBalancer'],
      ['Cluster-IP', '10.0.0.1'],
      ['External-IP', '<pending>'],
      ['Port(s)', '<none>'],
      ['Age', '24h'],
    ],
  ],
  [
    'deployment',
    kinds.Deployment,
    {
      spec: { replicas: 3, template, selector },
      status: { readyReplicas: 2, updatedReplicas: 3, availableReplicas: 1 },
    },
    [
      ['Ready', '2/3'],
      ['Up-to-date', 3],
      ['Available', 1],
      ['Age', '24h'],
    ],
  ],
  [
    'stateful set',
    kinds.StatefulSet,
    { spec: { replicas: 3, template, selector }, status: { replicas: 2, readyReplicas: 1 } },
    [
      ['Ready', '1/3'],
      ['Age', '24h'],
    ],
  ],
  [
    'replication controller',
    kinds.ReplicationController,
    { spec: { replicas: 3, template }, status: { replicas: 2, readyReplicas: 1 } },
    [
      ['Desired', 3],
      ['Current', 2],
      ['Ready', 1],
      ['Age', '24h'],
    ],
  ],
  [
    'cron job',
    kinds.CronJob,
    {
      spec: { schedule: '0 * * * *', suspend: true, jobTemplate: { spec: { template } } },
      status: { active: [{ name: 'a' }], lastScheduleTime: '2030-01-01T23:58:00Z' },
    },
    [
      ['Schedule', '0 * * * *'],
      ['Timezone', '<none>'],
      ['Suspend', 'True'],
      ['Active', 1],
      ['Last Schedule', '2m'],
      ['Age', '24h'],
    ],
  ],
  [
    'ingress',
    kinds.Ingress,
    {
      spec: { rules: ['a', 'b', 'c', 'd'].map((host) => ({ host })), tls: [{}] },
      status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }, { hostname: 'lb' }] } },
    },
    [
      ['Class', '<none>'],
      ['Hosts', 'a,b,c + 1 more...'],
      ['Address', '192.0.2.1,lb'],
      ['Ports', '80, 443'],
      ['Age', '24h'],
    ],
  ],
  [
    'ingress class',
    kinds.IngressClass,
    { spec: { controller: 'example.com/c', parameters: { apiGroup: 'example.com', kind: 'Setting', name: 's' } } },
    [
      ['Controller', 'example.com/c'],
      ['Parameters', 'Setting.example.com/s'],
      ['Age', '24h'],
    ],
  ],
  [
    'IP address',
    kinds.IPAddress,
    { spec: { parentRef: { resource: 'services', namespace: 'default', name: 'web' } } },
    [
      ['ParentRef', 'services/default/web'],
      ['Age', '24h'],
    ],
  ],
  [
    'service range',
    kinds.ServiceCIDR,
    { spec: { cidrs: ['10.96.0.0/16', 'fd00::/112'] } },
    [
      ['CIDRs', '10.96.0.0/16,fd00::/112'],
      ['Age', '24h'],
    ],
  ],
  [
    'network policy',
    kinds.NetworkPolicy,
    { spec: { podSelector: {} } },
    [
      ['Pod-Selector', '<none>'],
      ['Age', '24h'],
    ],
  ],
  [
    'resource claim',
    kinds.ResourceClaim,
    { spec: {}, status: { allocation: {}, reservedFor: [{ resource: 'pods', name: 'p', uid: 'u' }] } },
    [
      ['State', 'allocated,reserved'],
      ['Age', '24h'],
    ],
  ],
  [
    'resource slice',
    kinds.ResourceSlice,
    { spec: { nodeName: 'n', driver: 'd', pool: { name: 'p' } } },
    [
      ['Node', 'n'],
      ['Driver', 'd'],
      ['Pool', 'p'],
      ['Age', '24h'],
    ],
  ],
  [
    'job that runs',
    kinds.Job,
    { spec: { completions: 4, template }, status: { succeeded: 1, startTime: '2030-01-01T23:58:00Z' } },
    [
      ['Status', 'Running'],
      ['Completions', '1/4'],
      ['Duration', '2m'],
      ['Age', '24h'],
    ],
  ],
  [
    'quota',
    kinds.ResourceQuota,
    {
      status: {
        hard: { pods: '5', 'limits.cpu': '4', 'requests.cpu': '2' },
        used: { pods: '1', 'limits.cpu': '500m' },
      },
    },
    [
      ['Request', 'pods: 1/5, requests.cpu: 0/2'],
      ['Limit', 'limits.cpu: 500m/4'],
      ['Age', '24h'],
    ],
  ],
  [
    'autoscaler',
    kinds.HorizontalPodAutoscaler,
    {
      spec: {
        minReplicas: 1,
        maxReplicas: 5,
        scaleTargetRef: { kind: 'Deployment', name: 'd' },
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
        ],
      },
    },
    [
      ['Reference', 'Deployment/d'],
      ['Targets', 'cpu: <unknown>/80%'],
      ['MinPods', 1],
      ['MaxPods', 5],
      ['Replicas', 0],
      ['Age', '24h'],
    ],
  ],
  [
    'event',
    kinds.Event,
    {
      ...event,
      involvedObject: { kind: 'Pod', name: 'p' },
      message: 'Started it\n',
      lastTimestamp: '2030-01-01T23:59:00Z',
    },
    [
      ['Last Seen', '60s'],
      ['Type', 'Normal'],
      ['Reason', 'Started'],
      ['Object', 'pod/p'],
      ['Message', 'Started it'],
    ],
  ],
  [
    'event in the new form',
    kinds.EventsV1Event,
    { ...event, regarding: { kind: 'Pod', name: 'p' }, note: 'n', eventTime: '2030-01-01T23:59:00.000000Z' },
    [
      ['Last Seen', '60s'],
      ['Type', 'Normal'],
      ['Reason', 'Started'],
      ['Object', 'pod/p'],
      ['Message', 'n'],
    ],
  ],
  [
    'signing request',
    kinds.CertificateSigningRequest,
    {
      spec: { signerName: 's', username: 'u', expirationSeconds: 3600 },
      status: { conditions: [{ type: 'Approved' }], certificate: 'x' },
    },
    [
      ['Age', '24h'],
      ['SignerName', 's'],
      ['Requestor', 'u'],
      ['RequestedDuration', '60m'],
      ['Condition', 'Approved,Issued'],
    ],
  ],
  [
    'API service that is down',
    kinds.APIService,
    {
      spec: { service: { namespace: 'n', name: 's' } },
      status: { conditions: [{ type: 'Available', status: 'False', reason: 'FailedDiscoveryCheck' }] },
    },
    [
      ['Service', 'n/s'],
      ['Available', 'False (FailedDiscoveryCheck)'],
      ['Age', '24h'],
    ],
  ],
  [
    'disruption budget',
    kinds.PodDisruptionBudget,
    { spec: { minAvailable: '50%' }, status: { disruptionsAllowed: 1 } },
    [
      ['Min Available', '50%'],
      ['Max Unavailable', 'N/A'],
      ['Allowed Disruptions', 1],
      ['Age', '24h'],
    ],
  ],
  [
    'endpoints',
    kinds.Endpoints,
    {
      subsets: [
        {
          addresses: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }, { ip: '10.0.0.3' }, { ip: '10.0.0.4' }],
          ports: [{ port: 80 }],
        },
      ],
    },
    [
      ['Endpoints', '10.0.0.1:80,[fd00::1]:80,10.0.0.3:80 + 1 more...'],
      ['Age', '24h'],
    ],
  ],
  [
    'endpoint slice',
    kinds.EndpointSlice,
    { addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.1'] }], ports: [{ port: 80 }, {}] },
    [
      ['AddressType', 'IPv4'],
      ['Ports', '80,*'],
      ['Endpoints', '10.0.0.1'],
      ['Age', '24h'],
    ],
  ],
  [
    'controller revision',
    kinds.ControllerRevision,
    {
      revision: 2,
      metadata: {
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'u', controller: true }],
      },
    },
    [
      ['Controller', 'daemonset.apps/d'],
      ['Revision', 2],
      ['Age', '24h'],
    ],
  ],
];

describe('columns', () => {
  it.each(cases)('%s', (_, kind, object, expected) => {
    expect(row(kind, object)).toEqual(expected);
  });

  it('shows containers, images and selector of a template with -o wide', () => {
    const wide = row(kinds.ReplicaSet, { spec: { template, selector } }, true).slice(-3);
    expect(wide).toEqual([
      ['Containers', 'a,b'],
      ['Images', 'i:1,j'],
      ['Selector', 'app=web'],
    ]);
  });

  it('shows who is bound with -o wide', () => {
    const subjects = [
      { kind: 'User', name: 'u' },
      { kind: 'ServiceAccount', name: 's', namespace: 'n' },
    ];
    expect(row(kinds.RoleBinding, { roleRef: { kind: 'Role', name: 'r' }, subjects }, true)).toEqual([
      ['Role', 'Role/r'],
      ['Age', '24h'],
      ['Users', 'u'],
      ['Groups', ''],
      ['ServiceAccounts', 'n/s'],
    ]);
  });
});
