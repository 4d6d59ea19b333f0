import { beforeAll, describe, expect, it } from 'vitest';
import { useCluster } from './kubectl.ts';

const { kubectl, namespace } = useCluster();

const pod = (name: string, labels: string, node = '') => `
apiVersion: v1
kind: Pod
metadata:
  name: ${name}
  labels: ${labels}
spec:
  ${node && `nodeName: ${node}`}
  containers:
  - {name: main, image: busybox}
  - {name: sidecar, image: busybox}
---`;

const node = (name: string) => `
apiVersion: v1
kind: Node
metadata: {name: ${name}}
`;

const running = JSON.stringify({
  status: {
    phase: 'Running',
    podIP: '10.0.0.7',
    podIPs: [{ ip: '10.0.0.7' }],
    containerStatuses: ['main', 'sidecar'].map((name, index) => ({
      name,
      image: 'busybox',
      imageID: '',
      ready: index === 0,
      restartCount: index,
      state: { running: { startedAt: '2030-01-01T00:00:00Z' } },
    })),
  },
});

beforeAll(async () => {
  await namespace('shop');
  await kubectl.do('create -f -', { input: ['node-a', 'node-b'].map(node).join('---') });
  await kubectl.do('apply -n shop -f -', {
    input: [
      pod('cart', '{app: cart, tier: front, sort: c}', 'node-a'),
      pod('stock', '{app: stock, tier: back, sort: a}', 'node-b'),
      pod('till', '{app: till, tier: front, sort: b}', 'node-b'),
    ].join('\n'),
  });
  await kubectl.do(`patch pod cart -n shop --subresource=status -p '${running}'`);
});

describe('kubectl get', () => {
  it('prints a table', async () => {
    expect(await kubectl('get pods -n shop')).toMatchInlineSnapshot(`
      "NAME    READY   STATUS    RESTARTS   AGE
      cart    1/2     Running   1          1s
      stock   0/2     Pending   0          1s
      till    0/2     Pending   0          1s"
    `);
  });

  it('prints more with -o wide, labels as columns with -L, no header with --no-headers', async () => {
    const [wide, columns, bare] = await Promise.all([
      kubectl('get pods -n shop -o wide'),
      kubectl('get pods -n shop -L tier'),
      kubectl('get pods -n shop --no-headers'),
    ]);
    expect(wide).toMatchInlineSnapshot(`
      "NAME    READY   STATUS    RESTARTS   AGE   IP         NODE     NOMINATED NODE   READINESS GATES
      cart    1/2     Running   1          1s    10.0.0.7   node-a   <none>           <none>
      stock   0/2     Pending   0          1s    <none>     node-b   <none>           <none>
      till    0/2     Pending   0          1s    <none>     node-b   <none>           <none>"
    `);
    expect(columns).toMatchInlineSnapshot(`
      "NAME    READY   STATUS    RESTARTS   AGE   TIER
      cart    1/2     Running   1          1s    front
      stock   0/2     Pending   0          1s    back
      till    0/2     Pending   0          1s    front"
    `);
    expect(bare.split('\n')).toHaveLength(3);
  });

  it('prints YAML and JSON with everything the server filled in', async () => {
    expect(await kubectl('get pod stock -n shop -o yaml')).toMatchInlineSnapshot(`
      "apiVersion: v1
      kind: Pod
      metadata:
        annotations:
          kubectl.kubernetes.io/last-applied-configuration: |
            {"apiVersion":"v1","kind":"Pod","metadata":{"annotations":{},"labels":{"app":"stock","sort":"a","tier":"back"},"name":"stock","namespace":"shop"},"spec":{"containers":[{"image":"busybox","name":"main"},{"image":"busybox","name":"sidecar"}],"nodeName":"node-b"}}
        creationTimestamp: "<time>"
        generation: 1
        labels:
          app: stock
          sort: a
          tier: back
        name: stock
        namespace: shop
        resourceVersion: "<version>"
        uid: <uid>
      spec:
        containers:
        - image: busybox
          imagePullPolicy: Always
          name: main
          resources: {}
          terminationMessagePath: /dev/termination-log
          terminationMessagePolicy: File
          volumeMounts:
          - mountPath: /var/run/secrets/kubernetes.io/serviceaccount
            name: kube-api-access-<random>
            readOnly: true
        - image: busybox
          imagePullPolicy: Always
          name: sidecar
          resources: {}
          terminationMessagePath: /dev/termination-log
          terminationMessagePolicy: File
          volumeMounts:
          - mountPath: /var/run/secrets/kubernetes.io/serviceaccount
            name: kube-api-access-<random>
            readOnly: true
        dnsPolicy: ClusterFirst
        enableServiceLinks: true
        nodeName: node-b
        preemptionPolicy: PreemptLowerPriority
        priority: 0
        restartPolicy: Always
        schedulerName: default-scheduler
        securityContext: {}
        serviceAccount: default
        serviceAccountName: default
        terminationGracePeriodSeconds: 30
        tolerations:
        - effect: NoExecute
          key: node.kubernetes.io/not-ready
          operator: Exists
          tolerationSeconds: 300
        - effect: NoExecute
          key: node.kubernetes.io/unreachable
          operator: Exists
          tolerationSeconds: 300
        volumes:
        - name: kube-api-access-<random>
          projected:
            defaultMode: 420
            sources:
            - serviceAccountToken:
                expirationSeconds: 3607
                path: token
            - configMap:
                items:
                - key: ca.crt
                  path: ca.crt
                name: kube-root-ca.crt
            - downwardAPI:
                items:
                - fieldRef:
                    apiVersion: v1
                    fieldPath: metadata.namespace
                  path: namespace
      status:
        phase: Pending
        qosClass: BestEffort"
    `);
    const json = await kubectl.json<{ kind: string; items: { metadata: { name: string } }[] }>(
      'get pods -n shop -o json',
    );
    expect(json.kind).toBe('List');
    expect(json.items.map((item) => item.metadata.name)).toEqual(['cart', 'stock', 'till']);
  });

  it('prints names, custom columns, JSONPath and templates', async () => {
    const [names, columns, jsonPath, template] = await Promise.all([
      kubectl('get pods -n shop -o name'),
      kubectl('get pods -n shop -o custom-columns=POD:.metadata.name,NODE:.spec.nodeName,IP:.status.podIP'),
      kubectl(`get pods -n shop -o jsonpath='{range .items[?(@.spec.nodeName=="node-b")]}{.metadata.name},{end}'`),
      kubectl(`get pods -n shop -o go-template='{{range .items}}{{.metadata.labels.app}},{{end}}'`),
    ]);
    expect(names).toMatchInlineSnapshot(`
      "pod/cart
      pod/stock
      pod/till"
    `);
    expect(columns).toMatchInlineSnapshot(`
      "POD     NODE     IP
      cart    node-a   10.0.0.7
      stock   node-b   <none>
      till    node-b   <none>"
    `);
    expect(jsonPath).toBe('stock,till,');
    expect(template).toBe('cart,stock,till,');
  });

  it('selects by label', async () => {
    const names = (selector: string) => kubectl(`get pods -n shop -o name -l '${selector}'`);
    expect(
      await Promise.all([
        names('tier=front'),
        names('tier!=front'),
        names('app in (cart, stock)'),
        names('tier,app notin (cart)'),
        names('!tier'),
      ]),
    ).toEqual(['pod/cart\npod/till', 'pod/stock', 'pod/cart\npod/stock', 'pod/stock\npod/till', '']);
  });

  it('selects by field', async () => {
    const names = (selector: string) => kubectl(`get pods -A -o name --field-selector ${selector}`);
    expect(
      await Promise.all([
        names('metadata.name=cart'),
        names('spec.nodeName=node-b'),
        names('status.phase=Running'),
        names('status.phase!=Running,spec.nodeName=node-b'),
        names('metadata.namespace=default'),
      ]),
    ).toEqual(['pod/cart', 'pod/stock\npod/till', 'pod/cart', 'pod/stock\npod/till', '']);
    expect(await names('spec.colour=red')).toMatchInlineSnapshot(`
      "Error from server (BadRequest): Unable to find "/v1, Resource=pods" that match label selector "", field selector "spec.colour=red": field label not supported: spec.colour
      exit code 1"
    `);
  });

  it('refuses selectors that are none', async () => {
    expect(await kubectl('get --raw "/api/v1/pods?labelSelector=a%20in%20b"')).toMatchInlineSnapshot(`
      "Error from server (BadRequest): unable to parse requirement: found 'b', expected: '('
      exit code 1"
    `);
  });

  it('sorts', async () => {
    expect(await kubectl('get pods -n shop --sort-by=.metadata.labels.sort')).toMatchInlineSnapshot(`
      "NAME    READY   STATUS    RESTARTS   AGE
      stock   0/2     Pending   0          1s
      till    0/2     Pending   0          1s
      cart    1/2     Running   1          1s"
    `);
  });

  it('takes names, several kinds, and all namespaces', async () => {
    const [names, kinds, everywhere, missing, some] = await Promise.all([
      kubectl('get pod till cart -n shop'),
      kubectl('get pod/cart serviceaccount/default -n shop'),
      kubectl('get serviceaccounts -A'),
      kubectl('get pods absent -n shop'),
      kubectl('get pods cart absent -n shop -o name'),
    ]);
    expect(names).toMatchInlineSnapshot(`
      "NAME   READY   STATUS    RESTARTS   AGE
      till   0/2     Pending   0          1s
      cart   1/2     Running   1          1s"
    `);
    expect(kinds).toMatchInlineSnapshot(`
      "NAME       READY   STATUS    RESTARTS   AGE
      pod/cart   1/2     Running   1          1s

      NAME                     SECRETS   AGE
      serviceaccount/default   0         1s"
    `);
    expect(everywhere).toMatchInlineSnapshot(`
      "NAMESPACE         NAME      SECRETS   AGE
      default           default   0         1s
      kube-node-lease   default   0         1s
      kube-public       default   0         1s
      kube-system       default   0         1s
      shop              default   0         1s"
    `);
    expect(missing).toMatchInlineSnapshot(`
      "Error from server (NotFound): pods "absent" not found
      exit code 1"
    `);
    expect(some).toMatchInlineSnapshot(`
      "pod/cart
      Error from server (NotFound): pods "absent" not found
      exit code 1"
    `);
  });

  it('all is what runs and what leads there', async () => {
    await Promise.all([
      kubectl('create deployment web --image=nginx -n shop'),
      kubectl('create service clusterip None-svc --tcp=80 -n shop'),
      kubectl('create service clusterip headless --clusterip=None --tcp=80 -n shop'),
      kubectl('create job once --image=busybox -n shop'),
    ]);
    expect(await kubectl('get all -n shop')).toMatchInlineSnapshot(`
      "NAME        READY   STATUS    RESTARTS   AGE
      pod/cart    1/2     Running   1          1s
      pod/stock   0/2     Pending   0          1s
      pod/till    0/2     Pending   0          1s

      NAME               TYPE        CLUSTER-IP   EXTERNAL-IP   PORT(S)   AGE
      service/headless   ClusterIP   None         <none>        80/TCP    1s

      NAME                  READY   UP-TO-DATE   AVAILABLE   AGE
      deployment.apps/web   0/1     0            0           1s

      NAME             STATUS    COMPLETIONS   DURATION   AGE
      job.batch/once   Running   0/1                      1s"
    `);
  });

  it('says when nothing is there, or no such kind', async () => {
    const [nothing, nowhere, kind] = await Promise.all([
      kubectl('get pods'),
      kubectl('get pods -A -l no=such'),
      kubectl('get potatoes'),
    ]);
    expect(nothing).toMatchInlineSnapshot(`"No resources found in default namespace."`);
    expect(nowhere).toMatchInlineSnapshot(`"No resources found"`);
    expect(kind).toMatchInlineSnapshot(`
      "error: the server doesn't have a resource type "potatoes"
      exit code 1"
    `);
  });

  it('reads long lists a page at a time', async () => {
    const [one, all] = await Promise.all([
      kubectl('get clusterroles --chunk-size=7 -o name'),
      kubectl('get clusterroles --chunk-size=0 -o name'),
    ]);
    expect(one).toBe(all);
    expect(one.split('\n').length).toBeGreaterThan(20);
  });
});

describe('kubectl get --watch', () => {
  it('prints each change as it happens', async () => {
    await namespace('busy');
    const watch = kubectl.start('get configmaps -n busy -w');
    await watch.until('kube-root-ca.crt');
    await kubectl.do('create configmap seen -n busy');
    await watch.until(/^seen +0 /m);
    await kubectl.do(`patch configmap seen -n busy -p '{"data":{"a":"1"}}'`);
    await watch.until(/^seen +1 /m);
    await kubectl.do('delete configmap seen -n busy');
    expect(await watch.until(/(^seen +1 .*\n){2}/m)).toMatchInlineSnapshot(`
      "NAME               DATA   AGE
      kube-root-ca.crt   1      1s
      seen               0      1s
      seen               1      1s
      seen               1      1s"
    `);
    await watch.stop();
  });

  it('prints the kinds of changes, and only what was asked for', async () => {
    await kubectl.do('create configmap mine -n busy');
    await kubectl.do('label configmap mine -n busy watch=me');
    const watch = kubectl.start('get configmaps -n busy -l watch=me -w --output-watch-events');
    await watch.until('ADDED');
    await kubectl.do('create configmap other -n busy');
    await kubectl.do(`patch configmap mine -n busy -p '{"data":{"a":"1"}}'`);
    await watch.until('MODIFIED');
    await kubectl.do('label configmap mine -n busy watch-');
    expect(await watch.until('DELETED')).toMatchInlineSnapshot(`
      "EVENT      NAME   DATA   AGE
      ADDED      mine   0      1s
      MODIFIED   mine   1      1s
      DELETED    mine   1      1s"
    `);
    await watch.stop();
  });
});
