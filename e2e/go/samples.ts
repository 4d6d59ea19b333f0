import { admissionSamples } from './admissionSamples.ts';

/** One object of each built-in kind, with values of every sort that protobuf has: by `group/version/kind`. */
export const SAMPLES: Readonly<Record<string, object>> = samples();

function samples(): Record<string, object> {
  const labels = { app: 'go' };
  const container = {
    name: 'main',
    image: 'registry/image:1',
    command: ['/bin/sh'],
    args: ['-c', ''],
    env: [{ name: 'EMPTY' }, { name: 'FULL', value: 'ü' }],
    ports: [{ containerPort: 80, name: 'http' }],
    resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '100m', memory: '512Mi' } },
    livenessProbe: { httpGet: { path: '/', port: 'http' }, initialDelaySeconds: 5 },
    securityContext: { runAsUser: 0, privileged: false, capabilities: { add: ['NET_ADMIN'] } },
    volumeMounts: [{ name: 'scratch', mountPath: '/tmp' }],
  };
  const podSpec = {
    containers: [container],
    volumes: [
      { name: 'scratch', emptyDir: {} },
      { name: 'map', configMap: { name: 'none', optional: true } },
    ],
    tolerations: ['not-ready', 'unreachable'].map((key) => ({
      key: `node.kubernetes.io/${key}`,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: 0,
    })),
    schedulerName: 'nobody',
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 0,
  };
  const template = { metadata: { labels }, spec: podSpec };
  const selector = { matchLabels: labels };
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'], resourceNames: ['a'] }];
  const subjects = [{ kind: 'User', name: 'jane', apiGroup: 'rbac.authorization.k8s.io' }];
  const deviceClaim = {
    devices: {
      requests: [
        {
          name: 'gpu',
          exactly: {
            deviceClassName: 'gpus',
            allocationMode: 'ExactCount',
            count: 2,
            adminAccess: false,
            selectors: [{ cel: { expression: 'true' } }],
            tolerations: [{ key: 'broken', operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 0 }],
            capacity: { requests: { memory: '1Gi' } },
          },
        },
        { name: 'any', firstAvailable: [{ name: 'first', deviceClassName: 'gpus', allocationMode: 'All' }] },
      ],
      constraints: [{ requests: ['gpu'], matchAttribute: 'go.example.com/numa' }],
      config: [{ requests: ['any/first'], opaque: { driver: 'go.example.com', parameters: { a: 1 } } }],
    },
  };
  const time = '2026-01-02T03:04:05Z';
  return {
    'v1/ConfigMap': { data: { a: 'ü', empty: '' }, binaryData: { b: '/wA=' }, immutable: false },
    'v1/Endpoints': { subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80, protocol: 'TCP' }] }] },
    'v1/Event': {
      involvedObject: { kind: 'Pod', namespace: 'go', name: 'x' },
      reason: 'Test',
      message: 'a message',
      type: 'Normal',
      count: 2,
      firstTimestamp: time,
      lastTimestamp: time,
      source: { component: 'test' },
    },
    'v1/LimitRange': { spec: { limits: [{ type: 'PersistentVolumeClaim', max: { storage: '1Ti' } }] } },
    'v1/Namespace': {},
    'v1/Node': {
      spec: { podCIDR: '10.1.0.0/24', unschedulable: true },
    },
    'v1/PersistentVolume': {
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        hostPath: { path: '/nowhere', type: '' },
        claimRef: { namespace: 'go', name: 'nothing', kind: 'PersistentVolumeClaim', apiVersion: 'v1' },
        persistentVolumeReclaimPolicy: 'Retain',
        storageClassName: 'none',
      },
    },
    'v1/PersistentVolumeClaim': {
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        storageClassName: '',
        volumeName: 'nothing',
        volumeMode: 'Block',
      },
    },
    'v1/Pod': { metadata: { annotations: { note: '' } }, spec: podSpec },
    'v1/ResourceQuota': { spec: { hard: { 'count/configmaps': '1k' }, scopes: ['BestEffort'] } },
    'v1/Secret': { type: 'Opaque', data: { a: 'AAEC' } },
    'v1/Service': {
      spec: {
        selector: labels,
        ports: [
          { name: 'http', port: 80, targetPort: 'web' },
          { name: 'n', port: 81, targetPort: 8081 },
        ],
      },
    },
    'v1/ServiceAccount': { automountServiceAccountToken: false, imagePullSecrets: [{ name: 'pull' }] },
    ...admissionSamples(selector),
    'apiextensions.k8s.io/v1/CustomResourceDefinition': {
      metadata: { name: 'gadgets.go.example.com' },
      spec: {
        group: 'go.example.com',
        scope: 'Namespaced',
        names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: {
                  spec: {
                    type: 'object',
                    properties: {
                      n: { type: 'integer', format: 'int32', minimum: 0, maximum: 5, default: 0 },
                      list: { type: 'array', items: { type: 'string' } },
                      map: { type: 'object', additionalProperties: { type: 'number', multipleOf: 0.5 } },
                      free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                      word: { type: 'string', enum: ['a', 'b'], pattern: '^[ab]$' },
                    },
                  },
                },
              },
            },
          },
        ],
      },
    },
    'apiregistration.k8s.io/v1/APIService': {
      metadata: { name: 'v1.none.go.example.com' },
      spec: {
        group: 'none.go.example.com',
        version: 'v1',
        groupPriorityMinimum: 100,
        versionPriority: 10,
        service: { namespace: 'go', name: 'none', port: 443 },
      },
    },
    'apps/v1/ControllerRevision': { revision: 3, data: { any: [1, 'b', null, { c: true }] } },
    'apps/v1/DaemonSet': {
      spec: { selector, template: { metadata: { labels }, spec: { ...podSpec, terminationGracePeriodSeconds: 30 } } },
    },
    'apps/v1/Deployment': {
      spec: {
        replicas: 0,
        selector,
        template,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 1 } },
      },
    },
    'v1/PodTemplate': { template: { metadata: { labels }, spec: podSpec } },
    'v1/ReplicationController': { spec: { replicas: 0, selector: labels, template, minReadySeconds: 1 } },
    'apps/v1/ReplicaSet': { spec: { replicas: 0, selector, template } },
    'apps/v1/StatefulSet': {
      spec: {
        replicas: 0,
        selector,
        template,
        serviceName: 'go',
        podManagementPolicy: 'Parallel',
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0, maxUnavailable: '50%' } },
        revisionHistoryLimit: 0,
        minReadySeconds: 5,
        ordinals: { start: 3 },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' },
      },
    },
    'autoscaling/v2/HorizontalPodAutoscaler': {
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x' },
        minReplicas: 1,
        maxReplicas: 3,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
        ],
      },
    },
    'autoscaling/v1/HorizontalPodAutoscaler': {
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x' },
        minReplicas: 1,
        maxReplicas: 3,
        targetCPUUtilizationPercentage: 50,
      },
    },
    'batch/v1/CronJob': {
      spec: {
        schedule: '*/5 * * * MON-FRI',
        timeZone: 'Europe/Berlin',
        suspend: true,
        startingDeadlineSeconds: 0,
        concurrencyPolicy: 'Forbid',
        successfulJobsHistoryLimit: 0,
        failedJobsHistoryLimit: 2,
        jobTemplate: {
          metadata: { labels },
          spec: { template: { spec: { ...podSpec, restartPolicy: 'OnFailure' } }, completions: 0 },
        },
      },
    },
    'batch/v1/Job': {
      spec: { template: { spec: { ...podSpec, restartPolicy: 'Never' } }, backoffLimit: 0, suspend: true },
    },
    'certificates.k8s.io/v1/CertificateSigningRequest': {
      spec: {
        request:
          'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIWE1IOENBUUF3SFRFTk1Bc0dBMVVFQXd3RWFtRnVaVEVNTUFvR0ExVUVDZ3dEWkdWMk1Ga3dFd1lIS29aSQp6ajBDQVFZSUtvWkl6ajBEQVFjRFFnQUVGdHRGK3NGdHJBVklyNDZxVkllZWcxeEowaVhiT1ZaeUFiZ0MyclM2CkhmUWdZSTlZTEhnS0hIblNJaTVLa2JVUWdrOG9WanZJTzdRYmp5eWJhTnFqV3FBQU1Bb0dDQ3FHU000OUJBTUMKQTBnQU1FVUNJQXBkbWN0d2hkbFVpVE4rZFdoQlRQaGVwQlgrTmZrRHBxZXUwZ2I0ckd1b0FpRUFpb2ZlY0ZNYQp2czZabmVrWHA1eU11QXdXL1NHODdkKytFaTU1VkVtbHE5RT0KLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==',
        signerName: 'go.example.com/none',
        usages: ['client auth'],
        expirationSeconds: 3600,
      },
    },
    'coordination.k8s.io/v1/Lease': {
      spec: {
        holderIdentity: 'me',
        leaseDurationSeconds: 15,
        acquireTime: '2026-01-02T03:04:05.678901Z',
        renewTime: '2026-01-02T03:04:05.000000Z',
        leaseTransitions: 0,
      },
    },
    'discovery.k8s.io/v1/EndpointSlice': {
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: false }, nodeName: 'n' }],
      ports: [{ name: '', port: 80, protocol: 'TCP' }],
    },
    'events.k8s.io/v1/Event': {
      eventTime: '2026-01-02T03:04:05.678901Z',
      reportingController: 'example.com/test',
      reportingInstance: 'me',
      action: 'Test',
      reason: 'Test',
      type: 'Normal',
      note: 'a note',
      regarding: { kind: 'Pod', namespace: 'go', name: 'x' },
    },
    'networking.k8s.io/v1/Ingress': {
      spec: {
        ingressClassName: 'go',
        defaultBackend: { resource: { apiGroup: 'example.com', kind: 'Bucket', name: 'static' } },
        tls: [{ hosts: ['go.example.com'], secretName: 'certificate' }],
        rules: [
          {
            host: '*.example.com',
            http: {
              paths: [
                { path: '/a', pathType: 'Prefix', backend: { service: { name: 'web', port: { number: 80 } } } },
                { path: '/b', pathType: 'Exact', backend: { service: { name: 'web', port: { name: 'http' } } } },
              ],
            },
          },
        ],
      },
    },
    'networking.k8s.io/v1/IngressClass': {
      spec: {
        controller: 'example.com/go',
        parameters: { apiGroup: 'example.com', kind: 'Setting', name: 's', scope: 'Namespace', namespace: 'go' },
      },
    },
    'networking.k8s.io/v1/IPAddress': {
      metadata: { name: '10.97.0.5' },
      spec: { parentRef: { resource: 'services', namespace: 'go', name: 'web' } },
    },
    'networking.k8s.io/v1/ServiceCIDR': { spec: { cidrs: ['10.97.0.0/24'] } },
    'networking.k8s.io/v1/NetworkPolicy': {
      spec: {
        podSelector: selector,
        policyTypes: ['Egress', 'Ingress'],
        ingress: [
          {
            from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }],
            ports: [{ protocol: 'UDP', port: 53 }],
          },
        ],
        egress: [
          { to: [{ namespaceSelector: selector, podSelector: {} }], ports: [{ protocol: 'TCP', port: 1, endPort: 9 }] },
        ],
      },
    },
    'resource.k8s.io/v1/DeviceClass': {
      spec: {
        selectors: [{ cel: { expression: 'device.driver == "go.example.com"' } }],
        config: [{ opaque: { driver: 'go.example.com', parameters: { fast: true } } }],
        extendedResourceName: 'example.com/gpu',
      },
    },
    'resource.k8s.io/v1/ResourceClaim': { spec: deviceClaim },
    'resource.k8s.io/v1/ResourceClaimTemplate': { spec: { metadata: { labels }, spec: deviceClaim } },
    'resource.k8s.io/v1/ResourceSlice': {
      spec: {
        driver: 'go.example.com',
        pool: { name: 'pool', generation: 0, resourceSliceCount: 1 },
        nodeName: 'n',
        devices: [
          {
            name: 'gpu-0',
            attributes: {
              count: { int: 0 },
              fast: { bool: false },
              model: { string: 'x' },
              firmware: { version: '1.0.0' },
            },
            capacity: {
              memory: { value: '16Gi', requestPolicy: { default: '1Gi', validRange: { min: '1Gi', step: '1Gi' } } },
            },
            consumesCounters: [{ counterSet: 'shared', counters: { slots: { value: '1' } } }],
            taints: [{ key: 'broken', effect: 'NoSchedule', timeAdded: '2026-01-02T03:04:05Z' }],
            bindsToNode: true,
            bindingConditions: ['ready'],
            allowMultipleAllocations: true,
          },
        ],
      },
    },
    'policy/v1/PodDisruptionBudget': { spec: { minAvailable: '50%', selector } },
    'rbac.authorization.k8s.io/v1/ClusterRole': {
      rules: [...rules, { nonResourceURLs: ['/x'], verbs: ['get'] }],
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { none: 'such' } }] },
    },
    'rbac.authorization.k8s.io/v1/ClusterRoleBinding': {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects,
    },
    'rbac.authorization.k8s.io/v1/Role': { rules },
    'rbac.authorization.k8s.io/v1/RoleBinding': {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects,
    },
    'scheduling.k8s.io/v1/PriorityClass': {
      value: -5,
      description: 'low',
      preemptionPolicy: 'Never',
    },
    'storage.k8s.io/v1/CSIDriver': {
      spec: {
        attachRequired: false,
        podInfoOnMount: true,
        volumeLifecycleModes: ['Persistent'],
        fsGroupPolicy: 'File',
      },
    },
    'storage.k8s.io/v1/CSINode': {
      spec: { drivers: [{ name: 'driver.go', nodeID: 'n', topologyKeys: ['zone'], allocatable: { count: 3 } }] },
    },
    'storage.k8s.io/v1/StorageClass': {
      provisioner: 'go.example.com/none',
      parameters: { a: 'b' },
      allowVolumeExpansion: true,
      volumeBindingMode: 'WaitForFirstConsumer',
    },
    'storage.k8s.io/v1/VolumeAttachment': {
      spec: { attacher: 'driver.go', nodeName: 'n', source: { persistentVolumeName: 'pv' } },
    },
  };
}
