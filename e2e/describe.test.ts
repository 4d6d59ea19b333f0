import { beforeAll, describe, expect, it } from 'vitest';
import { useCluster } from './kubectl.ts';

const { kubectl, namespace } = useCluster();

beforeAll(() => namespace('told'));

/** The lines, with spaces as they come: releases of kubectl align differently and add lines. */
const facts = (text: string): string[] => text.split('\n').map((line) => line.trim().replaceAll(/\s+/g, ' '));

const make = (input: string) => kubectl.do('create -n told -f -', { input });

describe('kubectl describe', () => {
  it('a pod, with its events', async () => {
    await make(`
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}, annotations: {note: hello}}
spec:
  containers:
  - name: main
    image: nginx
    ports: [{containerPort: 80}]
    env: [{name: A, value: "1"}]
    resources: {requests: {cpu: 100m, memory: 64Mi}, limits: {memory: 128Mi}}
`);
    await kubectl.do(
      `wait --for=jsonpath='{.status.conditions[0].reason}'=Unschedulable pod/web -n told --timeout=10s`,
    );
    await kubectl.until('events -n told --for pod/web', /FailedScheduling/);
    expect(facts(await kubectl('describe pod web -n told'))).toEqual(
      expect.arrayContaining([
        'Name: web',
        'Service Account: default',
        'Node: <none>',
        'Labels: app=web',
        'Annotations: note: hello',
        'Status: Pending',
        'Image: nginx',
        'Port: 80/TCP',
        'memory: 128Mi',
        'cpu: 100m',
        'A: 1',
        '/var/run/secrets/kubernetes.io/serviceaccount from kube-api-access-<random> (ro)',
        'PodScheduled False',
        'QoS Class: Burstable',
        'Tolerations: node.kubernetes.io/not-ready:NoExecute op=Exists for 300s',
        'Warning FailedScheduling <age> default-scheduler no nodes available to schedule pods',
      ]),
    );
  });

  it('a node', async () => {
    await make('apiVersion: v1\nkind: Node\nmetadata: {name: worker, labels: {zone: a}}');
    await kubectl.do(
      `patch node worker --subresource=status -p '{"status":{"capacity":{"cpu":"4","memory":"8Gi"},"allocatable":{"cpu":"4","memory":"8Gi"}}}'`,
    );
    expect(facts(await kubectl('describe node worker'))).toEqual(
      expect.arrayContaining([
        'Name: worker',
        'Labels: zone=a',
        'Taints: node.kubernetes.io/not-ready:NoSchedule',
        'Unschedulable: false',
        'cpu: 4',
        'memory: 8Gi',
        'Non-terminated Pods: (0 in total)',
        'cpu 0 (0%) 0 (0%)',
      ]),
    );
  });

  it('a namespace, with its quotas and limits', async () => {
    await kubectl.do('create quota q -n told --hard=pods=5,requests.cpu=2');
    await make(`
apiVersion: v1
kind: LimitRange
metadata: {name: limits}
spec:
  limits:
  - type: Container
    default: {cpu: 200m}
    defaultRequest: {cpu: 100m}
    max: {cpu: "1"}
`);
    await kubectl.do(`wait --for=jsonpath='{.status.used.pods}'=1 quota/q -n told --timeout=10s`);
    const [ns, quota, limits] = await Promise.all([
      kubectl('describe namespace told'),
      kubectl('describe quota q -n told'),
      kubectl('describe limitrange limits -n told'),
    ]);
    expect(ns).toMatchInlineSnapshot(`
      "Name:         told
      Labels:       kubernetes.io/metadata.name=told
      Annotations:  <none>
      Status:       Active

      Resource Quotas
        Name:         q
        Resource      Used  Hard
        --------      ---   ---
        pods          1     5
        requests.cpu  100m  2

      Resource Limits
       Type       Resource  Min  Max  Default Request  Default Limit  Max Limit/Request Ratio
       ----       --------  ---  ---  ---------------  -------------  -----------------------
       Container  cpu       -    1    100m             200m           -"
    `);
    expect(quota).toMatchInlineSnapshot(`
      "Name:         q
      Namespace:    told
      Resource      Used  Hard
      --------      ----  ----
      pods          1     5
      requests.cpu  100m  2"
    `);
    expect(limits).toMatchInlineSnapshot(`
      "Name:       limits
      Namespace:  told
      Type        Resource  Min  Max  Default Request  Default Limit  Max Limit/Request Ratio
      ----        --------  ---  ---  ---------------  -------------  -----------------------
      Container   cpu       -    1    100m             200m           -"
    `);
  });

  it('a secret and a config map', async () => {
    await kubectl.do('create secret generic s -n told --from-literal=password=hunter2');
    await kubectl.do('create configmap c -n told --from-literal=colour=green');
    const [secret, configMap] = await Promise.all([
      kubectl('describe secret s -n told'),
      kubectl('describe configmap c -n told'),
    ]);
    expect(secret).toMatchInlineSnapshot(`
      "Name:         s
      Namespace:    told
      Labels:       <none>
      Annotations:  <none>

      Type:  Opaque

      Data
      ====
      password:  7 bytes"
    `);
    expect(facts(configMap)).toEqual(
      expect.arrayContaining(['Name: c', 'Namespace: told', 'colour:', 'green', 'Events: <none>']),
    );
  });

  it('a service account, a role and its binding', async () => {
    await kubectl.do('create role reader -n told --verb=get,list --resource=pods');
    await kubectl.do('create rolebinding readers -n told --role=reader --serviceaccount=told:default');
    const [account, role, binding] = await Promise.all([
      kubectl('describe serviceaccount default -n told'),
      kubectl('describe role reader -n told'),
      kubectl('describe rolebinding readers -n told'),
    ]);
    expect(facts(account)).toEqual(
      expect.arrayContaining(['Name: default', 'Namespace: told', 'Image pull secrets: <none>']),
    );
    expect(role).toMatchInlineSnapshot(`
      "Name:         reader
      Labels:       <none>
      Annotations:  <none>
      PolicyRule:
        Resources  Non-Resource URLs  Resource Names  Verbs
        ---------  -----------------  --------------  -----
        pods       []                 []              [get list]"
    `);
    expect(binding).toMatchInlineSnapshot(`
      "Name:         readers
      Labels:       <none>
      Annotations:  <none>
      Role:
        Kind:  Role
        Name:  reader
      Subjects:
        Kind            Name     Namespace
        ----            ----     ---------
        ServiceAccount  default  told"
    `);
  });

  it('a claim, a volume and a storage class', async () => {
    await make(`
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast}
provisioner: example.com/disk
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: disk}
spec:
  storageClassName: fast
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 1Gi}}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: volume}
spec:
  storageClassName: fast
  capacity: {storage: 5Gi}
  accessModes: [ReadWriteOnce]
  hostPath: {path: /data}
`);
    const [claim, volume, storageClass, tables] = await Promise.all([
      kubectl('describe pvc disk -n told'),
      kubectl('describe pv volume'),
      kubectl('describe storageclass fast'),
      kubectl('get pvc,pv,storageclass -n told'),
    ]);
    expect(claim).toMatchInlineSnapshot(`
      "Name:          disk
      Namespace:     told
      StorageClass:  fast
      Status:        Bound
      Volume:        volume
      Labels:        <none>
      Annotations:   pv.kubernetes.io/bind-completed: yes
                     pv.kubernetes.io/bound-by-controller: yes
                     volume.beta.kubernetes.io/storage-provisioner: example.com/disk
                     volume.kubernetes.io/storage-provisioner: example.com/disk
      Finalizers:    [kubernetes.io/pvc-protection]
      Capacity:      5Gi
      Access Modes:  RWO
      VolumeMode:    Filesystem
      Used By:       <none>
      Events:
        Type    Reason                Age   From                      Message
        ----    ------                ----  ----                      -------
        Normal  ExternalProvisioning  <age> persistent-volume-binder  Waiting for a volume to be created either by the external provisioner 'example.com/disk' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered."
    `);
    expect(volume).toMatchInlineSnapshot(`
      "Name:            volume
      Labels:          <none>
      Annotations:     pv.kubernetes.io/bound-by-controller: yes
      Finalizers:      [kubernetes.io/pv-protection]
      StorageClass:    fast
      Status:          Bound
      Claim:           told/disk
      Reclaim Policy:  Retain
      Access Modes:    RWO
      VolumeMode:      Filesystem
      Capacity:        5Gi
      Node Affinity:   <none>
      Message:         
      Source:
          Type:          HostPath (bare host directory volume)
          Path:          /data
          HostPathType:  
      Events:            <none>"
    `);
    expect(storageClass).toMatchInlineSnapshot(`
      "Name:                  fast
      IsDefaultClass:        No
      Annotations:           <none>
      Provisioner:           example.com/disk
      Parameters:            <none>
      AllowVolumeExpansion:  <unset>
      MountOptions:          <none>
      ReclaimPolicy:         Delete
      VolumeBindingMode:     Immediate
      Events:                <none>"
    `);
    expect(tables).toMatchInlineSnapshot(`
      "NAME                         STATUS   VOLUME   CAPACITY   ACCESS MODES   STORAGECLASS   VOLUMEATTRIBUTESCLASS   AGE
      persistentvolumeclaim/disk   Bound    volume   5Gi        RWO            fast           <unset>                 1s

      NAME                      CAPACITY   ACCESS MODES   RECLAIM POLICY   STATUS   CLAIM       STORAGECLASS   VOLUMEATTRIBUTESCLASS   REASON   AGE
      persistentvolume/volume   5Gi        RWO            Retain           Bound    told/disk   fast           <unset>                          1s

      NAME                               PROVISIONER        RECLAIMPOLICY   VOLUMEBINDINGMODE   ALLOWVOLUMEEXPANSION   AGE
      storageclass.storage.k8s.io/fast   example.com/disk   Delete          Immediate           false                  1s"
    `);
  });

  it('a deployment and a service', async () => {
    await kubectl.do('create deployment d -n told --image=nginx --replicas=2');
    await kubectl.do('create service clusterip s -n told --tcp=80:8080 --clusterip=10.96.7.7');
    const [deployment, service] = await Promise.all([
      kubectl('describe deployment d -n told'),
      kubectl('describe service s -n told'),
    ]);
    expect(facts(deployment)).toEqual(
      expect.arrayContaining([
        'Selector: app=d',
        'Replicas: 2 desired | 0 updated | 0 total | 0 available | 0 unavailable',
        'StrategyType: RollingUpdate',
        'RollingUpdateStrategy: 25% max unavailable, 25% max surge',
        'Image: nginx',
      ]),
    );
    expect(facts(service)).toEqual(
      expect.arrayContaining([
        'Selector: app=s',
        'Type: ClusterIP',
        'IP Families: IPv4',
        'IP: 10.96.7.7',
        'Port: 80-8080 80/TCP',
        'TargetPort: 8080/TCP',
        'Session Affinity: None',
        'Internal Traffic Policy: Cluster',
      ]),
    );
  });

  it('a custom resource definition', async () => {
    await make(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {plural: things, kind: Thing}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object}}
`);
    await kubectl.do('wait --for=condition=Established crd/things.example.com --timeout=10s');
    expect(await kubectl('describe crd things.example.com')).toMatchInlineSnapshot(`
      "Name:         things.example.com
      Namespace:    
      Labels:       <none>
      Annotations:  <none>
      API Version:  apiextensions.k8s.io/v1
      Kind:         CustomResourceDefinition
      Metadata:
        Creation Timestamp:  <time>
        Generation:          1
        Resource Version:    <version>
        UID:                 <uid>
      Spec:
        Conversion:
          Strategy:  None
        Group:       example.com
        Names:
          Kind:       Thing
          List Kind:  ThingList
          Plural:     things
          Singular:   thing
        Scope:        Cluster
        Versions:
          Name:  v1
          Schema:
            openAPIV3Schema:
              Type:  object
          Served:    true
          Storage:   true
      Status:
        Accepted Names:
          Kind:       Thing
          List Kind:  ThingList
          Plural:     things
          Singular:   thing
        Conditions:
          Last Transition Time:  <time>
          Message:               no conflicts found
          Reason:                NoConflicts
          Status:                True
          Type:                  NamesAccepted
          Last Transition Time:  <time>
          Message:               the initial names have been accepted
          Reason:                InitialNamesAccepted
          Status:                True
          Type:                  Established
        Stored Versions:
          v1
      Events:  <none>"
    `);
  });

  it('says what is not there', async () => {
    expect(await kubectl('describe pod absent')).toMatchInlineSnapshot(`
      "Error from server (NotFound): pods "absent" not found
      exit code 1"
    `);
  });
});
