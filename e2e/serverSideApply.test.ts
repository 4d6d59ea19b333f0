import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useCluster } from './kubectl.ts';

const { kubectl, vireo } = useCluster();

const web = ({ replicas = 1, image = 'nginx:1', env = '[]' } = {}) => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: ${replicas}
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - {name: main, image: "${image}", env: ${env}}
`;

const APPLY = 'apply --server-side -f -';

describe('kubectl apply --server-side', () => {
  it('creates and configures', async () => {
    expect(await kubectl(APPLY, { input: web() })).toBe('deployment.apps/web serverside-applied');
    expect(await kubectl(APPLY, { input: web({ replicas: 2 }) })).toBe('deployment.apps/web serverside-applied');
    expect(await kubectl('get deployment web -o jsonpath={.spec.replicas}')).toBe('2');
  });

  it('shows who owns what when asked to', async () => {
    expect(await kubectl('get deployment web -o yaml')).not.toContain('managedFields');
    const [entry] = await kubectl.json<{ manager: string; operation: string; fieldsV1: object }[]>(
      'get deployment web --show-managed-fields -o jsonpath={.metadata.managedFields}',
    );
    expect(entry).toMatchObject({
      manager: 'kubectl',
      operation: 'Apply',
      apiVersion: 'apps/v1',
      fieldsV1: { 'f:spec': { 'f:replicas': {}, 'f:selector': {} } },
    });
  });

  it('stops at what somebody else owns, says whose it is, and takes it with --force-conflicts', async () => {
    await kubectl.do('scale deployment web --replicas=5');
    const { code, stderr } = await kubectl.run(APPLY, { input: web({ replicas: 3 }) });
    expect(code).toBe(1);
    expect(stderr).toContain('conflict with "kubectl" with subresource "scale" using apps/v1: .spec.replicas');
    expect(await kubectl(`${APPLY} --force-conflicts`, { input: web({ replicas: 3 }) })).toBe(
      'deployment.apps/web serverside-applied',
    );
    expect(await kubectl('get deployment web -o jsonpath={.spec.replicas}')).toBe('3');
  });

  it('shows what would change: diff', async () => {
    const { code, stdout } = await kubectl.run('diff --server-side -f -', {
      input: web({ replicas: 3, image: 'nginx:2' }),
    });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^-.*image: nginx:1$/m);
    expect(stdout).toMatch(/^\+.*image: nginx:2$/m);
    expect(await kubectl('diff --server-side -f -', { input: web({ replicas: 3 }) })).toBe('');
  });

  it('takes over from client-side apply, annotation and all', async () => {
    const settings = (data: string) => `---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: moved}, data: ${data}}`;
    await kubectl.do('apply -f -', { input: settings('{a: "1", b: "1"}') });
    expect(await kubectl('apply view-last-applied configmap/moved -o json')).toContain('"b": "1"');
    expect(await kubectl(APPLY, { input: settings('{a: "2"}') })).toBe('configmap/moved serverside-applied');
    expect(await kubectl('get configmap moved -o jsonpath={.data}')).toBe('{"a":"2"}');
    expect(await kubectl('apply view-last-applied configmap/moved -o json')).not.toContain('"b"');
    expect(await kubectl('apply -f -', { input: settings('{a: "3"}') })).toContain('configmap/moved configured');
  });

  it('of the same chart by two managers leaves each what it brought', async () => {
    const chart = join(vireo().home, 'chart.yaml');
    const rendered = (replicas: number, extra = '') => `
apiVersion: v1
kind: ServiceAccount
metadata: {name: shop, labels: {app.kubernetes.io/managed-by: Helm, helm.sh/chart: shop-1.0.0}}
---
apiVersion: v1
kind: Service
metadata: {name: shop, labels: {app.kubernetes.io/managed-by: Helm, helm.sh/chart: shop-1.0.0}}
spec:
  selector: {app: shop}
  ports:
  - {name: http, port: 80, targetPort: 8080}
${extra}---
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop, labels: {app.kubernetes.io/managed-by: Helm, helm.sh/chart: shop-1.0.0}}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec:
      serviceAccountName: shop
      containers:
      - {name: shop, image: "shop:1", ports: [{containerPort: 8080}]}
`;
    await writeFile(chart, rendered(1));
    await kubectl.do(`apply --server-side --field-manager=helm -f ${chart}`);
    await writeFile(chart, rendered(1, '  - {name: metrics, port: 81}\n'));
    await kubectl.do(`apply --server-side --field-manager=platform -f ${chart}`);
    await writeFile(chart, rendered(1));
    await kubectl.do(`apply --server-side --field-manager=helm -f ${chart}`);
    expect(await kubectl('get service shop -o jsonpath={.spec.ports[*].name}')).toBe('http metrics');
    await kubectl.do(`apply --server-side --field-manager=platform -f ${chart}`);
    expect(await kubectl('get service shop -o jsonpath={.spec.ports[*].name}')).toBe('http');
    await writeFile(chart, rendered(2));
    const { stderr } = await kubectl.run(`apply --server-side --field-manager=helm -f ${chart}`);
    expect(stderr).toContain('conflict with "platform": .spec.replicas');
  });

  it('of a custom resource goes by its schema', async () => {
    const crd = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: knobs.apply.example.com}
spec:
  group: apply.example.com
  scope: Namespaced
  names: {plural: knobs, kind: Knob}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {level: {type: integer}, unit: {type: string, default: dB}}}
`;
    await kubectl.do('apply --server-side -f -', { input: crd });
    await kubectl.do('wait --for=condition=Established crd/knobs.apply.example.com');
    const knob = `---\n{apiVersion: apply.example.com/v1, kind: Knob, metadata: {name: k}, spec: {level: 3}}`;
    expect(await kubectl(APPLY, { input: knob })).toBe('knob.apply.example.com/k serverside-applied');
    const wrong = knob.replace('level: 3', 'levle: 3');
    expect(await kubectl(`${APPLY} --validate=false`, { input: wrong })).toContain(
      '.spec.levle: field not declared in schema',
    );
  });
});
