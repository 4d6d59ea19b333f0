import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { missing, oldKubectl } from './clients.ts';
import { kubectlFor, kubectlOf, useCluster } from './kubectl.ts';

const { vireo, kubectl: newKubectl } = useCluster();
const kubectl = kubectlOf(() => kubectlFor(vireo().kubeconfig, join(vireo().home, 'old-cache'), oldKubectl));

beforeEach(({ skip }) => {
  if (!oldKubectl) skip(missing);
});

const deployment = (replicas: string, containers: string) => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [${containers}]}
`;

describe('kubectl 1.20', () => {
  it('checks objects by OpenAPI v2 before it sends them', async () => {
    const misspelled = deployment('replicaz: 1', '{name: web, image: nginx, ports: [{containerPort: 80}]}');
    expect(await kubectl('create -f -', { input: misspelled })).toMatchInlineSnapshot(`
      "error: error validating "STDIN": error validating data: ValidationError(Deployment.spec): unknown field "replicaz" in io.k8s.api.apps.v1.DeploymentSpec; if you choose to ignore these errors, turn validation off with --validate=false
      exit code 1"
    `);
    const incomplete = deployment('replicas: 1', '{image: nginx}');
    expect(await kubectl('create -f -', { input: incomplete })).toMatchInlineSnapshot(`
      "error: error validating "STDIN": error validating data: ValidationError(Deployment.spec.template.spec.containers[0]): missing required field "name" in io.k8s.api.core.v1.Container; if you choose to ignore these errors, turn validation off with --validate=false
      exit code 1"
    `);
    const unknown = 'apiVersion: v1\nkind: Unknown\nmetadata: {name: a}\n';
    expect(await kubectl('create -f -', { input: unknown })).toMatchInlineSnapshot(`
      "error: unable to recognize "STDIN": no matches for kind "Unknown" in version "v1"
      exit code 1"
    `);
  });

  it('applies, merging lists by the keys that OpenAPI v2 names', async () => {
    const probe = 'livenessProbe: {httpGet: {port: 80}}, resources: {limits: {memory: 1Gi}}';
    const first = deployment('replicas: 1', `{name: web, image: nginx, ${probe}}, {name: log, image: busybox}`);
    expect(await kubectl('apply -f -', { input: first })).toMatchInlineSnapshot(`"deployment.apps/web created"`);
    await newKubectl.do('set env deployment/web -c web ADDED=1');
    const second = deployment('replicas: 1', `{name: web, image: 'nginx:2', ${probe}}`);
    expect(await kubectl('apply --dry-run=server -f -', { input: second })).toMatchInlineSnapshot(
      `"deployment.apps/web configured (server dry run)"`,
    );
    expect(await kubectl('apply -f -', { input: second })).toMatchInlineSnapshot(`"deployment.apps/web configured"`);
    expect(await kubectl('apply -f -', { input: second })).toMatchInlineSnapshot(`"deployment.apps/web unchanged"`);
    const path = '{range .spec.template.spec.containers[*]}{.name} {.image} {.env}{end}';
    expect(await kubectl(`get deployment web -o jsonpath='${path}'`)).toMatchInlineSnapshot(
      `"web nginx:2 [{"name":"ADDED","value":"1"}]"`,
    );
  });

  it('explains fields', async () => {
    expect(await kubectl('explain deployment.spec.strategy.rollingUpdate.maxSurge')).toMatchInlineSnapshot(`
      "KIND:     Deployment
      VERSION:  apps/v1

      FIELD:    maxSurge <string>

      DESCRIPTION:
           Number or percentage of pods above the desired number during an update.

           A whole number or a string."
    `);
    expect(await kubectl('explain pod.spec.tolerations')).toMatchInlineSnapshot(`
      "KIND:     Pod
      VERSION:  v1

      RESOURCE: tolerations <[]Object>

      DESCRIPTION:
           Taints of nodes that the pods tolerate.

           Lets a pod run on nodes with a matching taint.

      FIELDS:
         effect	<string>
           Effect that is tolerated. If empty, all effects match.

         key	<string>
           Key of the taint. If empty, all keys match.

         operator	<string>
           Equal, Exists, and for numbers Lt and Gt.

         tolerationSeconds	<integer>
           Seconds for which a NoExecute taint is tolerated. If missing, forever.

         value	<string>
           Value of the taint, for the operator Equal."
    `);
  });

  it('knows the fields of custom resources', async () => {
    const definition = (more: string) => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crontabs.stable.example.com}
spec:
  group: stable.example.com
  scope: Namespaced
  names: {plural: crontabs, kind: CronTab}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [cron]
            properties:
              cron: {type: string, description: When it runs., default: never}
              port: {x-kubernetes-int-or-string: true}
              free: {type: object, nullable: true, x-kubernetes-preserve-unknown-fields: true}
              ${more}
`;
    const tab = (spec: string) => `
apiVersion: stable.example.com/v1
kind: CronTab
metadata: {name: a}
spec: {${spec}}
`;
    await kubectl.do('apply -f -', { input: definition('') });
    await kubectl.do('wait --for=condition=Established crd/crontabs.stable.example.com');
    expect(await kubectl('explain crontab.spec')).toMatchInlineSnapshot(`
      "KIND:     CronTab
      VERSION:  stable.example.com/v1

      RESOURCE: spec <Object>

      DESCRIPTION:
           <empty>

      FIELDS:
         cron	<string> -required-
           When it runs.

         free	<>

         port	<>"
    `);
    expect(await kubectl('explain crontab.spec.cron')).toMatchInlineSnapshot(`
      "KIND:     CronTab
      VERSION:  stable.example.com/v1

      FIELD:    cron <string>

      DESCRIPTION:
           When it runs."
    `);
    const good = tab('cron: daily, port: http, free: {any: [1]}');
    expect(await kubectl('create -f -', { input: good })).toMatchInlineSnapshot(
      `"crontab.stable.example.com/a created"`,
    );
    expect(await kubectl('apply -f -', { input: tab('cron: daily, size: 1') })).toMatchInlineSnapshot(`
      "error: error validating "STDIN": error validating data: ValidationError(CronTab.spec): unknown field "size" in com.example.stable.v1.CronTab.spec; if you choose to ignore these errors, turn validation off with --validate=false
      exit code 1"
    `);
    expect(await kubectl('apply -f -', { input: tab('port: 1') })).toMatchInlineSnapshot(`
      "error: error validating "STDIN": error validating data: ValidationError(CronTab.spec): missing required field "cron" in com.example.stable.v1.CronTab.spec; if you choose to ignore these errors, turn validation off with --validate=false
      exit code 1"
    `);
    await kubectl.do('apply -f -', { input: definition('size: {type: integer}') });
    await kubectl.until('apply --dry-run=client -f -', /dry run/, { input: tab('cron: daily, size: 1') });
    expect(await kubectl('apply -f -', { input: tab('cron: daily, size: 1') })).toMatchInlineSnapshot(`
      "crontab.stable.example.com/a configured
      Warning: resource crontabs/a is missing the kubectl.kubernetes.io/last-applied-configuration annotation which is required by kubectl apply. kubectl apply should only be used on resources created declaratively by either kubectl create --save-config or kubectl apply. The missing annotation will be patched automatically."
    `);
  });
});
