import { describe, expect, it } from 'vitest';
import { useCluster } from './kubectl.ts';

const { kubectl } = useCluster();

describe('kubectl create', () => {
  it.each([
    ['namespace a', 'namespace/a created'],
    ['configmap c --from-literal=a=1', 'configmap/c created'],
    ['secret generic s --from-literal=p=w', 'secret/s created'],
    ['secret docker-registry pull --docker-server=x --docker-username=u --docker-password=p', 'secret/pull created'],
    ['serviceaccount bot', 'serviceaccount/bot created'],
    ['deployment web --image=nginx --replicas=3', 'deployment.apps/web created'],
    ['role reader --verb=get,list --resource=pods,deployments.apps', 'role.rbac.authorization.k8s.io/reader created'],
    [
      'rolebinding readers --role=reader --serviceaccount=default:bot',
      'rolebinding.rbac.authorization.k8s.io/readers created',
    ],
    ['clusterrole probe --verb=get --non-resource-url=/healthz', 'clusterrole.rbac.authorization.k8s.io/probe created'],
    [
      'clusterrolebinding probes --clusterrole=probe --user=jane',
      'clusterrolebinding.rbac.authorization.k8s.io/probes created',
    ],
    ['quota q --hard=pods=5,count/deployments.apps=3', 'resourcequota/q created'],
    ['job once --image=busybox -- echo hi', 'job.batch/once created'],
    ['service clusterip inside --tcp=80:8080', 'service/inside created'],
    ['service nodeport outside --tcp=80:8080 --node-port=30123', 'service/outside created'],
    ['service externalname elsewhere --external-name=example.com', 'service/elsewhere created'],
    ['poddisruptionbudget p --selector=app=web --min-available=1', 'poddisruptionbudget.policy/p created'],
    ['priorityclass high --value=1000', 'priorityclass.scheduling.k8s.io/high created'],
  ])('%s', async (command, printed) => {
    expect(await kubectl(`create ${command}`)).toBe(printed);
  });

  it('keeps what it was told', async () => {
    const [role, binding, job, outside, secret] = await Promise.all([
      kubectl('get role reader -o jsonpath={.rules}'),
      kubectl('get rolebinding readers -o jsonpath={.roleRef.name}{.subjects}'),
      kubectl('get job once -o jsonpath={.spec.template.spec.containers[0].command}'),
      kubectl('get service outside -o jsonpath={.spec.ports}'),
      kubectl('get secret s -o jsonpath={.type}{.data}'),
    ]);
    expect(role).toMatchInlineSnapshot(
      `"[{"apiGroups":[""],"resources":["pods"],"verbs":["get","list"]},{"apiGroups":["apps"],"resources":["deployments"],"verbs":["get","list"]}]"`,
    );
    expect(binding).toMatchInlineSnapshot(`"reader[{"kind":"ServiceAccount","name":"bot","namespace":"default"}]"`);
    expect(job).toMatchInlineSnapshot(`"["echo","hi"]"`);
    expect(outside).toMatchInlineSnapshot(
      `"[{"name":"80-8080","nodePort":30123,"port":80,"protocol":"TCP","targetPort":8080}]"`,
    );
    expect(secret).toMatchInlineSnapshot(`"Opaque{"p":"dw=="}"`);
  });

  it('says what is there already', async () => {
    const [configMap, file] = await Promise.all([
      kubectl('create configmap c'),
      kubectl('create -f -', { input: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}}' }),
    ]);
    expect(configMap).toMatchInlineSnapshot(`
      "error: failed to create configmap: configmaps "c" already exists
      exit code 1"
    `);
    expect(file).toMatchInlineSnapshot(`
      "Error from server (AlreadyExists): error when creating "STDIN": configmaps "c" already exists
      exit code 1"
    `);
  });

  it('makes a name from generateName', async () => {
    const input = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"gen-"}}';
    expect(await kubectl('create -f -', { input })).toMatch(
      /^configmap\/gen-[bcdfghjklmnpqrstvwxz2456789]{5} created$/,
    );
  });

  it('shows with --dry-run what would be made', async () => {
    const [client, server] = await Promise.all([
      kubectl('create namespace dry --dry-run=client -o yaml'),
      kubectl('create namespace dry --dry-run=server -o yaml'),
    ]);
    expect(client).toContain('metadata:\n');
    expect(client).not.toContain('uid');
    expect(server).toMatchInlineSnapshot(`
      "apiVersion: v1
      kind: Namespace
      metadata:
        creationTimestamp: "<time>"
        labels:
          kubernetes.io/metadata.name: dry
        name: dry
        uid: <uid>
      spec:
        finalizers:
        - kubernetes
      status:
        phase: Active"
    `);
    expect(await kubectl('get namespace dry --ignore-not-found')).toBe('');
  });

  it('refuses a Namespace or a Secret that breaks the rules', async () => {
    const [namespace, secret, port, quantity] = await Promise.all([
      kubectl('create namespace Not_Valid'),
      kubectl('create -f -', {
        input: '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"t"},"type":"kubernetes.io/tls","data":{}}',
      }),
      kubectl('create service nodeport far --tcp=80:80 --node-port=80'),
      kubectl('create quota odd --hard=pods=many'),
    ]);
    expect(namespace).toMatchInlineSnapshot(`
      "The Namespace "Not_Valid" is invalid: metadata.name: Invalid value: "Not_Valid": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')
      exit code 1"
    `);
    expect(secret).toMatchInlineSnapshot(`
      "The Secret "t" is invalid: 
      * data[tls.crt]: Required value
      * data[tls.key]: Required value
      exit code 1"
    `);
    expect(port).toMatchInlineSnapshot(`
      "error: failed to create NodePort service: Service "far" is invalid: spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767
      exit code 1"
    `);
    expect(quantity).toMatchInlineSnapshot(`
      "error: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'
      exit code 1"
    `);
  });

  it('refuses a port of a node that another service has', async () => {
    expect(await kubectl('create service nodeport twice --tcp=80:80 --node-port=30123')).toMatchInlineSnapshot(`
      "error: failed to create NodePort service: Service "twice" is invalid: spec.ports[0].nodePort: Invalid value: 30123: provided port is already allocated
      exit code 1"
    `);
  });
});

describe('kubectl expose and run', () => {
  it('expose makes a service for a deployment', async () => {
    await kubectl.do('create deployment exposed --image=nginx --port=8080');
    expect(await kubectl('expose deployment exposed --port=80 --target-port=8080')).toMatchInlineSnapshot(
      `"service/exposed exposed"`,
    );
    expect(await kubectl('get service exposed -o jsonpath={.spec.selector}{.spec.ports}')).toMatchInlineSnapshot(
      `"{"app":"exposed"}[{"port":80,"protocol":"TCP","targetPort":8080}]"`,
    );
  });

  it('run makes a pod', async () => {
    expect(await kubectl('run runner --image=nginx --labels=app=runner')).toMatchInlineSnapshot(`"pod/runner created"`);
    expect(await kubectl('get pod runner')).toMatchInlineSnapshot(`
      "NAME     READY   STATUS    RESTARTS   AGE
      runner   0/1     Pending   0          1s"
    `);
  });
});
