import { describe, expect, it } from 'vitest';
import { useCluster } from './kubectl.ts';

const { kubectl, namespace } = useCluster();

describe('kubectl patch', () => {
  it('merges lists by their keys (strategic), replaces them (merge), or follows a script (json)', async () => {
    await kubectl.do('create deployment web --image=nginx --port=80');
    const ports = () => kubectl('get deployment web -o jsonpath={.spec.template.spec.containers[*].ports}');
    const containers = () => kubectl('get deployment web -o jsonpath={.spec.template.spec.containers[*].name}');

    const sidecar = '{"spec":{"template":{"spec":{"containers":[{"name":"sidecar","image":"busybox"}]}}}}';
    expect(await kubectl(`patch deployment web -p '${sidecar}'`)).toMatchInlineSnapshot(
      `"deployment.apps/web patched"`,
    );
    expect(await containers()).toMatchInlineSnapshot(`"sidecar nginx"`);
    expect(await kubectl(`patch deployment web -p '${sidecar}'`)).toMatchInlineSnapshot(
      `"deployment.apps/web patched (no change)"`,
    );

    expect(await kubectl(`patch deployment web --type=merge -p '${sidecar}'`)).toMatchInlineSnapshot(
      `"deployment.apps/web patched"`,
    );
    expect(await containers()).toMatchInlineSnapshot(`"sidecar"`);

    const script = [
      { op: 'test', path: '/spec/template/spec/containers/0/name', value: 'sidecar' },
      { op: 'add', path: '/spec/template/spec/containers/0/ports', value: [{ containerPort: 8080 }] },
    ];
    expect(await kubectl(`patch deployment web --type=json -p '${JSON.stringify(script)}'`)).toMatchInlineSnapshot(
      `"deployment.apps/web patched"`,
    );
    expect(await ports()).toMatchInlineSnapshot(`"[{"containerPort":8080,"protocol":"TCP"}]"`);
  });

  it('deletes from a list with $patch, and a field with null', async () => {
    await kubectl.do('create deployment two --image=nginx --image=busybox');
    const patch = '{"spec":{"template":{"spec":{"containers":[{"name":"busybox","$patch":"delete"}]}}}}';
    expect(await kubectl(`patch deployment two -p '${patch}'`)).toBe('deployment.apps/two patched');
    expect(await kubectl('get deployment two -o jsonpath={.spec.template.spec.containers[*].name}')).toBe('nginx');
    await kubectl.do(`patch deployment two --type=merge -p '{"metadata":{"labels":{"app":null}}}'`);
    expect(await kubectl('get deployment two -o jsonpath={.metadata.labels}')).toBe('');
  });

  it('says what is wrong with a patch', async () => {
    await kubectl.do('create configmap c --from-literal=a=1');
    const [test, path, syntax, type, field, name, absent, immutable] = await Promise.all([
      kubectl(`patch configmap c --type=json -p '[{"op":"test","path":"/data/a","value":"2"}]'`),
      kubectl(`patch configmap c --type=json -p '[{"op":"remove","path":"/data/absent"}]'`),
      kubectl(`patch configmap c -p '{"data":'`),
      kubectl(`patch configmap c -p '{"data":[1]}'`),
      kubectl(`patch configmap c -p '{"dada":{"a":"2"}}'`),
      kubectl(`patch configmap c -p '{"metadata":{"name":"d"}}'`),
      kubectl(`patch configmap absent -p '{"data":{}}'`),
      kubectl(`patch service kubernetes -p '{"spec":{"clusterIP":"10.96.0.9"}}'`),
    ]);
    expect(test).toMatchInlineSnapshot(`
      "The request is invalid: the server rejected our request due to an error in our request
      exit code 1"
    `);
    expect(path).toMatchInlineSnapshot(`
      "The request is invalid: the server rejected our request due to an error in our request
      exit code 1"
    `);
    expect(syntax).toMatchInlineSnapshot(`
      "Error from server (BadRequest): error decoding patch: unexpected end of JSON input
      exit code 1"
    `);
    expect(type).toMatchInlineSnapshot(`
      "The request is invalid: patch: Invalid value: "map[data:[1]]": json: cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string
      exit code 1"
    `);
    expect(field).toMatchInlineSnapshot(`
      "configmap/c patched (no change)
      Warning: unknown field "dada""
    `);
    expect(name).toMatchInlineSnapshot(`
      "Error from server (BadRequest): the name of the object (d) does not match the name on the URL (c)
      exit code 1"
    `);
    expect(absent).toMatchInlineSnapshot(`
      "Error from server (NotFound): configmaps "absent" not found
      exit code 1"
    `);
    expect(immutable).toMatchInlineSnapshot(`
      "The Service "kubernetes" is invalid: spec.clusterIPs[0]: Invalid value: ["10.96.0.9"]: may not change once set
      exit code 1"
    `);
  });

  it('changes the status alone through the subresource', async () => {
    await kubectl.do('create deployment st --image=nginx');
    const patch = `-p '{"spec":{"replicas":9},"status":{"replicas":4,"observedGeneration":1}}'`;
    expect(await kubectl(`patch deployment st --subresource=status --type=merge ${patch}`)).toMatchInlineSnapshot(
      `"deployment.apps/st patched"`,
    );
    expect(
      await kubectl('get deployment st -o jsonpath={.spec.replicas}/{.status.replicas}/{.metadata.generation}'),
    ).toBe('1/4/1');
    await kubectl.do(`patch deployment st --type=merge -p '{"spec":{"replicas":2},"status":{"replicas":7}}'`);
    expect(
      await kubectl('get deployment st -o jsonpath={.spec.replicas}/{.status.replicas}/{.metadata.generation}'),
    ).toBe('2/4/2');
  });
});

describe('kubectl label and annotate', () => {
  it('add, refuse to overwrite, overwrite and remove', async () => {
    await kubectl.do('create configmap l');
    expect(await kubectl('label configmap l tier=front owner=me')).toMatchInlineSnapshot(`"configmap/l labeled"`);
    expect(await kubectl('label configmap l tier=back')).toMatchInlineSnapshot(`
      "error: 'tier' already has a value (front), and --overwrite is false
      exit code 1"
    `);
    expect(await kubectl('label configmap l tier=front')).toMatchInlineSnapshot(`"configmap/l not labeled"`);
    expect(await kubectl('label configmap l tier=back --overwrite')).toMatchInlineSnapshot(`"configmap/l labeled"`);
    expect(await kubectl('get configmap l --show-labels')).toMatchInlineSnapshot(`
      "NAME   DATA   AGE   LABELS
      l      0      1s    owner=me,tier=back"
    `);
    expect(await kubectl('label configmap l tier-')).toMatchInlineSnapshot(`"configmap/l unlabeled"`);
    expect(await kubectl('label configmap l absent-')).toMatchInlineSnapshot(`
      "label "absent" not found.
      configmap/l not labeled"
    `);
    expect(await kubectl('annotate configmap l note="two words"')).toMatchInlineSnapshot(`"configmap/l annotated"`);
    expect(await kubectl('annotate configmap l note=other')).toMatchInlineSnapshot(`
      "error: --overwrite is false but found the following declared annotation(s): 'note' already has a value (two words)
      exit code 1"
    `);
    expect(await kubectl('annotate configmap l note-')).toMatchInlineSnapshot(`"configmap/l annotated"`);
    expect(await kubectl('label configmap l --list')).toMatchInlineSnapshot(`"owner=me"`);
  });

  it('take many objects at once', async () => {
    await namespace('many');
    await Promise.all(['a', 'b', 'c'].map((name) => kubectl(`create configmap ${name} -n many`)));
    expect(await kubectl('label configmap a b set=x -n many')).toMatchInlineSnapshot(`
      "configmap/a labeled
      configmap/b labeled"
    `);
    expect(await kubectl('annotate configmap -l set=x seen=yes -n many')).toMatchInlineSnapshot(`
      "configmap/a annotated
      configmap/b annotated"
    `);
    expect(await kubectl('label configmap --all every=one -n many')).toMatchInlineSnapshot(`
      "configmap/a labeled
      configmap/b labeled
      configmap/c labeled
      configmap/kube-root-ca.crt labeled"
    `);
  });

  it('name the rule that a label breaks', async () => {
    await kubectl.do('create configmap bad');
    expect(await kubectl(`patch configmap bad -p '{"metadata":{"labels":{"a b":"c d"}}}'`)).toMatchInlineSnapshot(`
      "The ConfigMap "bad" is invalid: 
      * metadata.labels: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')
      * metadata.labels: Invalid value: "c d": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')
      exit code 1"
    `);
  });
});

describe('kubectl scale', () => {
  it('sets the replicas of what has a scale', async () => {
    await kubectl.do('create deployment s --image=nginx');
    expect(await kubectl('scale deployment s --replicas=3')).toMatchInlineSnapshot(`"deployment.apps/s scaled"`);
    expect(await kubectl('get deployment s')).toMatchInlineSnapshot(`
      "NAME   READY   UP-TO-DATE   AVAILABLE   AGE
      s      0/3     0            0           1s"
    `);
    expect(await kubectl('get deployment s --subresource=scale -o yaml')).toMatchInlineSnapshot(`
      "apiVersion: autoscaling/v1
      kind: Scale
      metadata:
        creationTimestamp: "<time>"
        name: s
        namespace: default
        resourceVersion: "<version>"
        uid: <uid>
      spec:
        replicas: 3
      status:
        replicas: 0
        selector: app=s"
    `);
  });

  it('checks what it is scaled from', async () => {
    await kubectl.do('create deployment from --image=nginx --replicas=2');
    expect(await kubectl('scale deployment from --current-replicas=5 --replicas=3')).toMatchInlineSnapshot(`
      "error: Expected replicas to be 5, was 2
      exit code 1"
    `);
    expect(await kubectl('scale deployment from --current-replicas=2 --replicas=3')).toMatchInlineSnapshot(
      `"deployment.apps/from scaled"`,
    );
  });

  it('refuses what has none, and what is not there', async () => {
    const [none, absent] = await Promise.all([
      kubectl('scale serviceaccount default --replicas=3'),
      kubectl('scale deployment absent --replicas=3'),
    ]);
    expect(none).toMatchInlineSnapshot(`
      "Error from server (NotFound): the server could not find the requested resource
      exit code 1"
    `);
    expect(absent).toMatchInlineSnapshot(`
      "error: no objects passed to scale deployments.apps "absent" not found
      exit code 1"
    `);
  });
});
