import { beforeAll, describe, expect, it } from 'vitest';
import { useCluster } from './kubectl.ts';

const { kubectl } = useCluster();

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: trees.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: trees, kind: Tree}
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
            properties:
              height: {type: integer}
              branches: {type: array, items: {type: object, properties: {leaves: {type: integer}}}}
              nest: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
`;
const tree = `
apiVersion: example.com/v1
kind: Tree
metadata: {name: oak, odd: 1}
spec:
  heigth: 3
  branches: [{leaves: 1}, {leafs: 1}]
  nest: {apiVersion: v1, kind: Nest, metadata: {name: a, odd: 1}, eggs: 3}
`;
const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, odd: 1}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}, odd: 1}
    spec: {containers: [{name: a, image: b, comand: [c]}]}
`;

beforeAll(async () => {
  await kubectl.do('create -f -', { input: definition });
  await kubectl.do('wait --for=condition=Established crd/trees.example.com');
});

/** The same command strict, warning and ignoring, in this order. */
async function validated(command: string, input: string): Promise<string> {
  const outputs: string[] = [];
  for (const mode of ['strict', 'warn', 'ignore'])
    outputs.push(await kubectl(`${command} --validate=${mode} -f -`, { input }));
  return outputs.join('\n');
}

describe('--validate', () => {
  it('names every unknown field of a built-in kind', async () => {
    expect(await validated('create --dry-run=server', deployment)).toMatchInlineSnapshot(`
      "Error from server (BadRequest): error when creating "STDIN": Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "metadata.odd", unknown field "spec.template.metadata.odd", unknown field "spec.template.spec.containers[0].comand"
      exit code 1
      deployment.apps/web created (server dry run)
      Warning: unknown field "metadata.odd"
      Warning: unknown field "spec.template.metadata.odd"
      Warning: unknown field "spec.template.spec.containers[0].comand"
      deployment.apps/web created (server dry run)"
    `);
    expect(await validated('apply', deployment)).toMatchInlineSnapshot(`
      "Error from server (BadRequest): error when creating "STDIN": Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "metadata.odd", unknown field "spec.template.metadata.odd", unknown field "spec.template.spec.containers[0].comand"
      exit code 1
      deployment.apps/web created
      Warning: unknown field "metadata.odd"
      Warning: unknown field "spec.template.metadata.odd"
      Warning: unknown field "spec.template.spec.containers[0].comand"
      deployment.apps/web configured"
    `);
    expect(await validated('replace', deployment)).toMatchInlineSnapshot(`
      "Error from server (BadRequest): error when replacing "STDIN": Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "metadata.odd", unknown field "spec.template.metadata.odd", unknown field "spec.template.spec.containers[0].comand"
      exit code 1
      deployment.apps/web replaced
      Warning: unknown field "metadata.odd"
      Warning: unknown field "spec.template.metadata.odd"
      Warning: unknown field "spec.template.spec.containers[0].comand"
      deployment.apps/web replaced"
    `);
  });

  it('names every unknown field of a custom resource, and of an object embedded in it', async () => {
    expect(await validated('create --dry-run=server', tree)).toMatchInlineSnapshot(`
      "Error from server (BadRequest): error when creating "STDIN": Tree in version "v1" cannot be handled as a Tree: strict decoding error: unknown field "metadata.odd", unknown field "spec.branches[1].leafs", unknown field "spec.heigth", unknown field "spec.nest.metadata.odd"
      exit code 1
      tree.example.com/oak created (server dry run)
      Warning: unknown field "metadata.odd"
      Warning: unknown field "spec.branches[1].leafs"
      Warning: unknown field "spec.heigth"
      Warning: unknown field "spec.nest.metadata.odd"
      tree.example.com/oak created (server dry run)"
    `);
    expect(await validated('apply', tree)).toMatchInlineSnapshot(`
      "Error from server (BadRequest): error when creating "STDIN": Tree in version "v1" cannot be handled as a Tree: strict decoding error: unknown field "metadata.odd", unknown field "spec.branches[1].leafs", unknown field "spec.heigth", unknown field "spec.nest.metadata.odd"
      exit code 1
      tree.example.com/oak created
      Warning: unknown field "metadata.odd"
      Warning: unknown field "spec.branches[1].leafs"
      Warning: unknown field "spec.heigth"
      Warning: unknown field "spec.nest.metadata.odd"
      tree.example.com/oak configured"
    `);
    expect(await validated('replace', tree)).toMatchInlineSnapshot(`
      "Error from server (BadRequest): error when replacing "STDIN": Tree in version "v1" cannot be handled as a Tree: strict decoding error: unknown field "metadata.odd", unknown field "spec.branches[1].leafs", unknown field "spec.heigth", unknown field "spec.nest.metadata.odd"
      exit code 1
      tree.example.com/oak replaced
      Warning: unknown field "metadata.odd"
      Warning: unknown field "spec.branches[1].leafs"
      Warning: unknown field "spec.heigth"
      Warning: unknown field "spec.nest.metadata.odd"
      tree.example.com/oak replaced"
    `);
    expect(await kubectl(`get tree oak -o jsonpath='{.spec}'`)).toMatchInlineSnapshot(
      `"{"branches":[{"leaves":1},{}],"nest":{"apiVersion":"v1","eggs":3,"kind":"Nest","metadata":{"name":"a"}}}"`,
    );
  });
});

it('a patch warns of unknown fields', async () => {
  await kubectl.do('create configmap patched');
  for (const type of ['merge', 'strategic'])
    expect(await kubectl(`patch configmap patched --type=${type} -p '{"dada": {"a": "b"}}'`)).toBe(
      'configmap/patched patched (no change)\nWarning: unknown field "dada"',
    );
  const operation = JSON.stringify([{ op: 'add', path: '/dada', value: 1, odd: 1 }]);
  expect(await kubectl(`patch configmap patched --type=json -p '${operation}'`)).toMatchInlineSnapshot(`
    "configmap/patched patched (no change)
    Warning: json patch unknown field "[0].odd"
    Warning: unknown field "dada""
  `);
});

it('fields given twice are found in what is sent as it is', async () => {
  const body =
    '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"a": "1", "a": "2"}, "odd": 1}';
  const path = '/api/v1/namespaces/default/configmaps?fieldValidation=Strict';
  expect(await kubectl(`create --raw ${path} -f -`, { input: body })).toMatchInlineSnapshot(`
    "Error from server (BadRequest): ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "data.a", unknown field "odd"
    exit code 1"
  `);
});
