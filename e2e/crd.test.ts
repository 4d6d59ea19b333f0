import { beforeAll, describe, expect, it } from 'vitest';
import { useCluster } from './kubectl.ts';

const { kubectl } = useCluster();

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: gardens.example.com
spec:
  group: example.com
  scope: Namespaced
  names:
    plural: gardens
    singular: garden
    kind: Garden
    shortNames: [gd]
    categories: [all, plants]
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale:
        specReplicasPath: .spec.beds
        statusReplicasPath: .status.beds
        labelSelectorPath: .status.selector
    additionalPrinterColumns:
    - {name: Beds, type: integer, jsonPath: .spec.beds}
    - {name: Soil, type: string, jsonPath: .spec.soil}
    - {name: Ready, type: string, jsonPath: '.status.conditions[?(@.type=="Ready")].status'}
    - {name: Owner, type: string, jsonPath: .spec.owner.name, priority: 1}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
    schema:
      openAPIV3Schema:
        description: A Garden has beds.
        type: object
        required: [spec]
        properties:
          spec:
            description: What the gardener wants.
            type: object
            required: [beds]
            properties:
              beds: {type: integer, minimum: 0, maximum: 10, description: How many beds there are.}
              soil: {type: string, enum: [clay, sand, loam], default: loam}
              note: {type: string, maxLength: 5, pattern: '^[a-z]*$'}
              owner:
                type: object
                default: {}
                properties:
                  name: {type: string, default: nobody}
              plants:
                type: array
                items:
                  type: object
                  required: [name]
                  properties:
                    name: {type: string}
          status:
            type: object
            x-kubernetes-preserve-unknown-fields: true
`;

const garden = (name: string, spec: string) => `
apiVersion: example.com/v1
kind: Garden
metadata: {name: ${name}}
spec: ${spec}
`;

beforeAll(async () => {
  await kubectl.do('create -f -', { input: definition });
  await kubectl.do('wait --for=condition=Established crd/gardens.example.com --timeout=10s');
});

describe('a custom resource definition', () => {
  it('is established at once', async () => {
    const [wait, conditions, table] = await Promise.all([
      kubectl('wait --for=condition=Established crd gardens.example.com --timeout=10s'),
      kubectl(
        `get crd gardens.example.com -o jsonpath='{range .status.conditions[*]}{.type}={.status}/{.reason} {end}'`,
      ),
      kubectl('get crd'),
    ]);
    expect(wait).toMatchInlineSnapshot(
      `"customresourcedefinition.apiextensions.k8s.io/gardens.example.com condition met"`,
    );
    expect(conditions).toMatchInlineSnapshot(`"NamesAccepted=True/NoConflicts Established=True/InitialNamesAccepted"`);
    expect(table).toMatchInlineSnapshot(`
      "NAME                  CREATED AT
      gardens.example.com   <time>"
    `);
  });

  it('shows in api-resources and explain', async () => {
    const [resources, explained, field] = await Promise.all([
      kubectl('api-resources --api-group=example.com -o wide'),
      kubectl('explain garden'),
      kubectl('explain gardens.spec --recursive'),
    ]);
    expect(resources).toMatchInlineSnapshot(`
      "NAME      SHORTNAMES   APIVERSION       NAMESPACED   KIND     VERBS                                                        CATEGORIES
      gardens   gd           example.com/v1   true         Garden   create,delete,deletecollection,get,list,patch,update,watch   all,plants"
    `);
    expect(explained).toMatch(
      /^GROUP: +example.com\nKIND: +Garden\nVERSION: +v1\n\nDESCRIPTION:\n +A Garden has beds.\n/,
    );
    expect(explained).toContain('\n  metadata\t<ObjectMeta>\n');
    expect(explained).toContain('\n  spec\t<Object> -required-\n    What the gardener wants.\n');
    expect(field).toContain('\n  beds\t<integer> -required-\n');
    expect(field).toContain('\n  plants\t<[]Object>\n    name\t<string> -required-\n');
  });

  it('must have a schema, and a name that fits', async () => {
    const [schema, name] = await Promise.all([
      kubectl('create -f -', {
        input: definition
          .replace(/schema:\n.*$/s, '')
          .replaceAll('garden', 'yard')
          .replaceAll('Garden', 'Yard'),
      }),
      kubectl('create -f -', { input: definition.replace('name: gardens.example.com', 'name: other.example.com') }),
    ]);
    expect(schema).toMatchInlineSnapshot(`
      "The CustomResourceDefinition "yards.example.com" is invalid: spec.versions[0].schema.openAPIV3Schema: Required value
      exit code 1"
    `);
    expect(name).toMatchInlineSnapshot(`
      "The CustomResourceDefinition "other.example.com" is invalid: metadata.name: Invalid value: "other.example.com": must be spec.names.plural+"."+spec.group
      exit code 1"
    `);
  });
});

describe('a definition with several versions', () => {
  const versions = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: tools.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {plural: tools, kind: Tool}
  versions:
  - name: v1
    served: true
    storage: true
    selectableFields: &fields [{jsonPath: .spec.size}]
    schema: &schema {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}
  - name: v1beta1
    served: true
    storage: false
    deprecated: true
    selectableFields: *fields
    schema: *schema
  - name: v1alpha1
    served: false
    storage: false
    selectableFields: *fields
    schema: *schema
`;

  it('serves each object in each version, and warns of old ones', async () => {
    await kubectl.do('create -f -', { input: versions });
    await kubectl.do('wait --for=condition=Established crd/tools.example.com --timeout=10s');
    const tool = 'apiVersion: example.com/v1beta1\nkind: Tool\nmetadata: {name: rake}\nspec: {size: 2}';
    expect(await kubectl('create -f -', { input: tool })).toMatchInlineSnapshot(`
      "tool.example.com/rake created
      Warning: example.com/v1beta1 Tool is deprecated"
    `);
    const [now, old, none] = await Promise.all([
      kubectl('get tool rake -o jsonpath={.apiVersion}'),
      kubectl('get tools.v1beta1.example.com rake -o jsonpath={.apiVersion}'),
      kubectl('get --raw /apis/example.com/v1alpha1/tools'),
    ]);
    expect(now).toBe('example.com/v1');
    expect(old).toMatchInlineSnapshot(`
      "example.com/v1beta1
      Warning: example.com/v1beta1 Tool is deprecated"
    `);
    expect(none).toMatchInlineSnapshot(`
      "Error from server (NotFound): the server could not find the requested resource
      exit code 1"
    `);
  });

  it('is selected by the fields it names', async () => {
    const [two, three] = await Promise.all([
      kubectl('get tools -o name --field-selector spec.size=2'),
      kubectl('get tools -o name --field-selector spec.size=3'),
    ]);
    expect([two, three]).toEqual(['tool.example.com/rake', '']);
  });
});

describe('a custom resource', () => {
  it('gets defaults and loses what the schema does not know', async () => {
    const input = garden('plain', '{beds: 2, colour: green}');
    expect(await kubectl('create -f -', { input })).toMatchInlineSnapshot(`
      "Error from server (BadRequest): error when creating "STDIN": Garden in version "v1" cannot be handled as a Garden: strict decoding error: unknown field "spec.colour"
      exit code 1"
    `);
    expect(await kubectl('create --validate=ignore -f -', { input })).toMatchInlineSnapshot(
      `"garden.example.com/plain created"`,
    );
    expect(await kubectl('get garden plain -o yaml')).toMatchInlineSnapshot(`
      "apiVersion: example.com/v1
      kind: Garden
      metadata:
        creationTimestamp: "<time>"
        generation: 1
        name: plain
        namespace: default
        resourceVersion: "<version>"
        uid: <uid>
      spec:
        beds: 2
        owner:
          name: nobody
        soil: loam"
    `);
  });

  it('is printed with the columns of its definition', async () => {
    await kubectl.do('apply -f -', { input: garden('columns', '{beds: 3, soil: clay, owner: {name: ann}}') });
    await kubectl.do(
      `patch garden columns --subresource=status --type=merge -p '{"status":{"conditions":[{"type":"Ready","status":"True"}]}}'`,
    );
    const [table, wide, short, plants] = await Promise.all([
      kubectl('get garden columns'),
      kubectl('get gardens.v1.example.com columns -o wide'),
      kubectl('get gd columns -o name'),
      kubectl('get plants --field-selector metadata.name=columns'),
    ]);
    expect(table).toMatchInlineSnapshot(`
      "NAME      BEDS   SOIL   READY   AGE
      columns   3      clay   True    1s"
    `);
    expect(wide).toMatchInlineSnapshot(`
      "NAME      BEDS   SOIL   READY   OWNER   AGE
      columns   3      clay   True    ann     1s"
    `);
    expect(short).toBe('garden.example.com/columns');
    expect(plants).toBe(table);
  });

  it('is validated, and each fault is named', async () => {
    const [faults, missing, type] = await Promise.all([
      kubectl('create -f -', { input: garden('bad', '{beds: 11, soil: chalk, note: "UPPER CASE", plants: [{}]}') }),
      kubectl('create -f -', { input: garden('bad', '{}') }),
      kubectl('create -f -', { input: garden('bad', '{beds: many}') }),
    ]);
    expect(faults).toMatchInlineSnapshot(`
      "The Garden "bad" is invalid: 
      * spec.beds: Invalid value: 11: spec.beds in body should be less than or equal to 10
      * spec.note: Too long: may not be more than 5 bytes
      * spec.plants[0].name: Required value
      * spec.soil: Unsupported value: "chalk": supported values: "clay", "sand", "loam"
      exit code 1"
    `);
    expect(missing).toMatchInlineSnapshot(`
      "The Garden "bad" is invalid: spec.beds: Required value
      exit code 1"
    `);
    expect(type).toMatchInlineSnapshot(`
      "The Garden "bad" is invalid: spec.beds: Invalid value: "string": spec.beds in body must be of type integer: "string"
      exit code 1"
    `);
  });

  it('is applied, patched, labelled and edited', async () => {
    const input = (soil: string) => garden('daily', `{beds: 1, soil: ${soil}}`);
    expect(await kubectl('apply -f -', { input: input('sand') })).toMatchInlineSnapshot(
      `"garden.example.com/daily created"`,
    );
    expect(await kubectl('apply -f -', { input: input('sand') })).toMatchInlineSnapshot(
      `"garden.example.com/daily unchanged"`,
    );
    expect(await kubectl('apply -f -', { input: input('clay') })).toMatchInlineSnapshot(
      `"garden.example.com/daily configured"`,
    );
    expect(await kubectl(`patch garden daily --type=merge -p '{"spec":{"beds":4}}'`)).toMatchInlineSnapshot(
      `"garden.example.com/daily patched"`,
    );
    expect(
      await kubectl(`patch garden daily --type=json -p '[{"op":"replace","path":"/spec/beds","value":5}]'`),
    ).toMatchInlineSnapshot(`"garden.example.com/daily patched"`);
    expect(await kubectl(`patch garden daily -p '{"spec":{"beds":6}}'`)).toMatchInlineSnapshot(`
      "error: application/strategic-merge-patch+json is not supported by example.com/v1, Kind=Garden: the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml
      exit code 1"
    `);
    expect(await kubectl('label garden daily season=spring')).toMatchInlineSnapshot(
      `"garden.example.com/daily labeled"`,
    );
    expect(await kubectl('edit garden daily', { env: { EDITOR: 'sed -i s/clay/loam/' } })).toMatchInlineSnapshot(
      `"garden.example.com/daily edited"`,
    );
    expect(await kubectl('get garden daily -o jsonpath={.spec.soil}{.spec.beds}/{.metadata.generation}')).toBe(
      'loam5/5',
    );
  });

  it('has a status that only the subresource changes, and a generation that only the rest does', async () => {
    await kubectl.do('apply -f -', { input: garden('status', '{beds: 1}') });
    await kubectl.do(`patch garden status --type=merge -p '{"status":{"seen":true}}'`);
    expect(await kubectl('get garden status -o jsonpath={.status}{.metadata.generation}')).toBe('1');
    await kubectl.do(
      `patch garden status --subresource=status --type=merge -p '{"spec":{"beds":9},"status":{"seen":true}}'`,
    );
    expect(await kubectl('get garden status -o jsonpath={.spec.beds}{.status}{.metadata.generation}')).toBe(
      '1{"seen":true}1',
    );
  });

  it('is scaled through its definition', async () => {
    await kubectl.do('apply -f -', { input: garden('scaled', '{beds: 1}') });
    expect(await kubectl('scale garden scaled --replicas=3')).toMatchInlineSnapshot(
      `"garden.example.com/scaled scaled"`,
    );
    expect(await kubectl('scale garden scaled --current-replicas=1 --replicas=4')).toMatchInlineSnapshot(`
      "error: Expected replicas to be 1, was 3
      exit code 1"
    `);
    expect(await kubectl('scale garden scaled --replicas=11')).toMatchInlineSnapshot(`
      "The Garden "scaled" is invalid: spec.beds: Invalid value: 11: spec.beds in body should be less than or equal to 10
      exit code 1"
    `);
    expect(await kubectl('get garden scaled -o jsonpath={.spec.beds}')).toBe('3');
  });

  it('is watched', async () => {
    await kubectl.do('apply -f -', { input: garden('watched', '{beds: 1}') });
    const watch = kubectl.start('get garden watched -w');
    await watch.until(/^watched/m);
    await kubectl.do(`patch garden watched --type=merge -p '{"spec":{"beds":7}}'`);
    expect(await watch.until(/^watched +7/m)).toMatchInlineSnapshot(`
      "NAME      BEDS   SOIL   READY   AGE
      watched   1      loam           1s
      watched   7      loam           1s"
    `);
    await watch.stop();
  });

  it('is described', async () => {
    await kubectl.do('create -f -', { input: garden('told', '{beds: 2, plants: [{name: rose}]}') });
    expect(await kubectl('describe garden told')).toMatchInlineSnapshot(`
      "Name:         told
      Namespace:    default
      Labels:       <none>
      Annotations:  <none>
      API Version:  example.com/v1
      Kind:         Garden
      Metadata:
        Creation Timestamp:  <time>
        Generation:          1
        Resource Version:    <version>
        UID:                 <uid>
      Spec:
        Beds:  2
        Owner:
          Name:  nobody
        Plants:
          Name:  rose
        Soil:    loam
      Events:    <none>"
    `);
  });
});

describe('a definition that is deleted', () => {
  it('takes its objects along and is served no more', async () => {
    const shed = (text: string) => text.replaceAll('garden', 'shed').replaceAll('Garden', 'Shed').replace('[gd]', '[]');
    await kubectl.do('create -f -', { input: shed(definition) });
    await kubectl.do('wait --for=condition=Established crd/sheds.example.com --timeout=10s');
    await kubectl.do('create -f -', { input: shed(garden('one', '{beds: 1}')) });
    expect(await kubectl('delete crd sheds.example.com')).toMatchInlineSnapshot(
      `"customresourcedefinition.apiextensions.k8s.io "sheds.example.com" deleted"`,
    );
    expect(await kubectl('api-resources --api-group=example.com -o name')).toBe(
      'gardens.example.com\ntools.example.com',
    );
    await kubectl.do('create -f -', { input: shed(definition) });
    await kubectl.do('wait --for=condition=Established crd/sheds.example.com --timeout=10s');
    expect(await kubectl('get sheds')).toMatchInlineSnapshot(`"No resources found in default namespace."`);
  });

  it('waits for finalizers of its objects', async () => {
    const pond = (text: string) => text.replaceAll('garden', 'pond').replaceAll('Garden', 'Pond').replace('[gd]', '[]');
    await kubectl.do('create -f -', { input: pond(definition) });
    await kubectl.do('wait --for=condition=Established crd/ponds.example.com --timeout=10s');
    await kubectl.do('create -f -', {
      input: pond(garden('held', '{beds: 1}')).replace('{name: held}', '{name: held, finalizers: [example.com/fish]}'),
    });
    const deletion = kubectl('delete crd ponds.example.com');
    expect(await kubectl('wait --for=condition=Terminating crd/ponds.example.com --timeout=20s')).toMatchInlineSnapshot(
      `"customresourcedefinition.apiextensions.k8s.io/ponds.example.com condition met"`,
    );
    expect(await kubectl('create -f -', { input: pond(garden('late', '{beds: 1}')) })).toMatchInlineSnapshot(`
      "Error from server (MethodNotAllowed): error when creating "STDIN": create not allowed while custom resource definition is terminating
      exit code 1"
    `);
    await kubectl.do(`patch pond held --type=merge -p '{"metadata":{"finalizers":null}}'`);
    expect(await deletion).toMatchInlineSnapshot(
      `"customresourcedefinition.apiextensions.k8s.io "ponds.example.com" deleted"`,
    );
  });
});
