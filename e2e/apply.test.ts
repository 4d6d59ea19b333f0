import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useCluster } from './kubectl.ts';

const { kubectl, vireo } = useCluster();

const settings = (data: string) => `
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
${data}
`;

const deployment = ({ replicas, env }: { replicas: number; env: string }) => `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: ${replicas}
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: main
        image: nginx
        env: ${env}
`;

describe('kubectl apply', () => {
  it('says created, then unchanged, then configured', async () => {
    expect(await kubectl('apply -f -', { input: settings('  a: "1"\n  b: "2"') })).toMatchInlineSnapshot(
      `"configmap/settings created"`,
    );
    expect(await kubectl('apply -f -', { input: settings('  a: "1"\n  b: "2"') })).toMatchInlineSnapshot(
      `"configmap/settings unchanged"`,
    );
    expect(await kubectl('apply -f -', { input: settings('  a: "3"') })).toMatchInlineSnapshot(
      `"configmap/settings configured"`,
    );
  });

  it('removes fields that the manifest no longer has, and leaves those that others set', async () => {
    await kubectl.do('apply -f -', { input: settings('  mine: "1"\n  dropped: "2"') });
    await kubectl.do(`patch configmap settings -p '{"data":{"theirs":"3"}}'`);
    await kubectl.do('apply -f -', { input: settings('  mine: "1"') });
    expect(await kubectl('get configmap settings -o jsonpath={.data}')).toMatchInlineSnapshot(
      `"{"mine":"1","theirs":"3"}"`,
    );
  });

  it('merges lists of a Deployment by their keys', async () => {
    await kubectl.do('apply -f -', {
      input: deployment({ replicas: 2, env: '[{name: A, value: "1"}, {name: B, value: "2"}]' }),
    });
    await kubectl.do('set env deployment/web C=3');
    const second = deployment({ replicas: 2, env: '[{name: B, value: "two"}]' });
    expect(await kubectl('apply -f -', { input: second })).toMatchInlineSnapshot(`"deployment.apps/web configured"`);
    const env = await kubectl('get deployment web -o jsonpath={.spec.template.spec.containers[0].env}');
    expect(JSON.parse(env)).toEqual([
      { name: 'B', value: 'two' },
      { name: 'C', value: '3' },
    ]);
  });

  it('takes several documents and lists', async () => {
    const input = `
apiVersion: v1
kind: Namespace
metadata: {name: several}
---
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: one, namespace: several}
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: two, namespace: several}
---
apiVersion: v1
kind: Secret
metadata: {name: three, namespace: several}
stringData: {password: hunter2}
`;
    expect(await kubectl('apply -f -', { input })).toMatchInlineSnapshot(`
      "namespace/several created
      configmap/one created
      configmap/two created
      secret/three created"
    `);
    expect(await kubectl('apply -f -', { input })).toMatchInlineSnapshot(`
      "namespace/several unchanged
      configmap/one unchanged
      configmap/two unchanged
      secret/three configured"
    `);
    expect(await kubectl('get secret three -n several -o jsonpath={.data}')).toMatchInlineSnapshot(
      `"{"password":"aHVudGVyMg=="}"`,
    );
  });

  it('refuses fields that the kind does not have, and warns where that is asked for', async () => {
    const unknown = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: odd}
spec:
  replica: 3
  selector: {matchLabels: {app: odd}}
  template:
    metadata: {labels: {app: odd}}
    spec:
      containers:
      - {name: main, image: nginx, imagePullPolice: Always}
`;
    expect(await kubectl('apply -f -', { input: unknown })).toMatchInlineSnapshot(`
      "Error from server (BadRequest): error when creating "STDIN": Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.replica", unknown field "spec.template.spec.containers[0].imagePullPolice"
      exit code 1"
    `);
    expect(await kubectl('apply --validate=warn -f -', { input: unknown })).toMatchInlineSnapshot(`
      "deployment.apps/odd created
      Warning: unknown field "spec.replica"
      Warning: unknown field "spec.template.spec.containers[0].imagePullPolice""
    `);
    expect(await kubectl('apply --validate=ignore -f -', { input: unknown })).toMatchInlineSnapshot(
      `"deployment.apps/odd configured"`,
    );
  });

  it('names the field, the value and the rule when an object is not valid', async () => {
    const input = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: Not_Valid}
spec:
  selector: {matchLabels: {app: a}}
  template:
    metadata: {labels: {app: b}}
    spec:
      containers:
      - {name: main}
`;
    expect(await kubectl('apply -f -', { input })).toMatchInlineSnapshot(`
      "The Deployment "Not_Valid" is invalid: 
      * metadata.name: Invalid value: "Not_Valid": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')
      * spec.template.metadata.labels: Invalid value: {"app":"b"}: \`selector\` does not match template \`labels\`
      * spec.template.spec.containers[0].image: Required value
      exit code 1"
    `);
    expect(
      await kubectl('apply -f -', { input: 'apiVersion: v1\nkind: Potato\nmetadata: {name: p}\n' }),
    ).toMatchInlineSnapshot(`
      "error: resource mapping not found for name: "p" namespace: "" from "STDIN": no matches for kind "Potato" in version "v1"
      ensure CRDs are installed first
      exit code 1"
    `);
    expect(
      await kubectl('apply -f -', { input: settings('  a: 1').replace('settings', 'wrong') }),
    ).toMatchInlineSnapshot(`
      "Error from server (BadRequest): error when creating "STDIN": ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string
      exit code 1"
    `);
    expect(await kubectl('apply -n nowhere -f -', { input: settings('  a: b') })).toMatchInlineSnapshot(`
      "Error from server (NotFound): error when creating "STDIN": namespaces "nowhere" not found
      exit code 1"
    `);
  });

  it('dry runs change nothing', async () => {
    const input = settings('  dry: run').replace('name: settings', 'name: dry');
    expect(await kubectl('apply --dry-run=server -f -', { input })).toMatchInlineSnapshot(
      `"configmap/dry created (server dry run)"`,
    );
    expect(await kubectl('apply --dry-run=client -f -', { input })).toMatchInlineSnapshot(
      `"configmap/dry created (dry run)"`,
    );
    expect(await kubectl('get configmap dry')).toMatchInlineSnapshot(`
      "Error from server (NotFound): configmaps "dry" not found
      exit code 1"
    `);
  });

  it('prunes what is no longer in the set', async () => {
    const both = '{"apiVersion":"v1","kind":"List","items":[$1,$2]}';
    const map = (name: string) =>
      `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}","labels":{"set":"x"}}}`;
    await kubectl.do('apply -f -', { input: both.replace('$1', map('stays')).replace('$2', map('goes')) });
    const prune = 'apply --prune -l set=x --prune-allowlist=core/v1/ConfigMap -f -';
    expect(await kubectl(prune, { input: map('stays') })).toMatchInlineSnapshot(`
      "configmap/stays unchanged
      configmap/goes pruned"
    `);
  });

  it('shows what was applied last', async () => {
    await kubectl.do('apply -f -', { input: settings('  last: applied') });
    expect(await kubectl('apply view-last-applied configmap settings')).toMatchInlineSnapshot(`
      "apiVersion: v1
      data:
        last: applied
      kind: ConfigMap
      metadata:
        annotations: {}
        name: settings
        namespace: default"
    `);
  });
});

describe('kubectl diff', () => {
  it('shows what apply would change, and ends with 1 where something would', async () => {
    await kubectl.do('apply -f -', { input: settings('  colour: green') });
    expect(await kubectl('diff -f -', { input: settings('  colour: green') })).toBe('');
    const { stdout, code } = await kubectl.run('diff -f -', { input: settings('  colour: blue') });
    expect(code).toBe(1);
    expect(stdout).toContain('\n-  colour: green\n+  colour: blue\n');
  });
});

describe('kubectl replace', () => {
  it('puts another object in the place of the old one', async () => {
    await kubectl.do('create configmap r --from-literal=a=1');
    const input = await kubectl.run('create configmap r --from-literal=b=2 --dry-run=client -o yaml');
    expect(await kubectl('replace -f -', { input: input.stdout })).toMatchInlineSnapshot(`"configmap/r replaced"`);
    expect(await kubectl('get configmap r -o jsonpath={.data}')).toMatchInlineSnapshot(`"{"b":"2"}"`);
  });

  it('refuses an object that was changed since it was read', async () => {
    await kubectl.do('create configmap stale --from-literal=a=1');
    const { stdout } = await kubectl.run('get configmap stale -o yaml');
    await kubectl.do('label configmap stale changed=yes');
    expect(await kubectl('replace -f -', { input: stdout })).toMatchInlineSnapshot(`
      "Error from server (Conflict): error when replacing "STDIN": Operation cannot be fulfilled on configmaps "stale": the object has been modified; please apply your changes to the latest version and try again
      exit code 1"
    `);
  });

  it('refuses to replace what is not there', async () => {
    expect(
      await kubectl('replace -f -', { input: settings('  a: b').replace('settings', 'absent') }),
    ).toMatchInlineSnapshot(`
      "Error from server (NotFound): error when replacing "STDIN": configmaps "absent" not found
      exit code 1"
    `);
  });

  it('deletes and creates with --force', async () => {
    await kubectl.do('create configmap forced --from-literal=a=1');
    const { stdout } = await kubectl.run('create configmap forced --from-literal=a=2 --dry-run=client -o yaml');
    expect(await kubectl('replace --force -f -', { input: stdout })).toMatchInlineSnapshot(`
      "configmap "forced" deleted
      configmap/forced replaced"
    `);
  });
});

describe('kubectl edit', () => {
  const editor = async (script: string): Promise<{ env: Record<string, string> }> => {
    const file = join(vireo().home, `editor-${Math.random()}`);
    await writeFile(file, `#!/bin/sh\nsed -i -e '${script}' "$1"\n`, { mode: 0o755 });
    return { env: { EDITOR: file } };
  };

  it('saves what the editor wrote', async () => {
    await kubectl.do('create configmap edited --from-literal=colour=green');
    expect(await kubectl('edit configmap edited', await editor('s/green/blue/'))).toMatchInlineSnapshot(
      `"configmap/edited edited"`,
    );
    expect(await kubectl('get configmap edited -o jsonpath={.data.colour}')).toBe('blue');
    expect(await kubectl('edit configmap edited', await editor('s/nothing/else/'))).toMatchInlineSnapshot(
      `"Edit cancelled, no changes made."`,
    );
  });

  it('edits the built-in kinds that have merge keys', async () => {
    await kubectl.do('create deployment edited --image=nginx');
    expect(await kubectl('edit deployment edited', await editor('s/image: nginx/image: httpd/'))).toMatchInlineSnapshot(
      `"deployment.apps/edited edited"`,
    );
    expect(
      await kubectl(
        'get deployment edited -o jsonpath={.spec.template.spec.containers[0].image}{.metadata.generation}',
      ),
    ).toBe('httpd2');
  });

  it('shows the error above the text when the server refuses, and keeps the text', async () => {
    const output = await kubectl('edit deployment edited', await editor('s/replicas: 1/replicas: -1/'));
    expect(output.replaceAll(/\/tmp\/\S+/g, '<file>').replaceAll(/"<file>/g, '<file>')).toMatchInlineSnapshot(`
      "error: deployments.apps "edited" is invalid
      A copy of your changes has been stored to <file>
      error: Edit cancelled, no valid changes were saved.
      exit code 1"
    `);
  });
});
