/** Bodies with unknown and repeated fields, and what Kubernetes says of them. */

export const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
export const WIDGETS = '/apis/strict.example.com/v1/namespaces/default/widgets';
export const OPEN_WIDGETS = '/apis/open.example.com/v1/namespaces/default/widgets';
export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
export const MAPS = '/api/v1/namespaces/default/configmaps';

/** NAME stands for one that no other case has. */
const DEPLOYMENT_JSON = `{
  "apiVersion": "apps/v1", "kind": "Deployment",
  "metadata": {"name": "dupename", "name": "NAME", "unknownMeta": "x", "labels": {"app": "nginx"}},
  "spec": {
    "unknown1": "val1", "unknownDupe": {"a": 1, "a": 2}, "unknownDupe": "valDupe2", "paused": true, "paused": false,
    "selector": {"matchLabels": {"app": "nginx"}},
    "template": {
      "metadata": {"labels": {"app": "nginx"}},
      "spec": {"containers": [{
        "name": "nginx", "image": "nginx:latest", "unknownNested": "val1",
        "imagePullPolicy": "Always", "imagePullPolicy": "Never", "imagePullPolicy": "Always"
      }]}
    }
  }
}`;
const DEPLOYMENT_JSON_ERRORS = [
  'duplicate field "metadata.name"',
  'unknown field "metadata.unknownMeta"',
  'unknown field "spec.unknown1"',
  'unknown field "spec.unknownDupe"',
  'duplicate field "spec.paused"',
  'unknown field "spec.template.spec.containers[0].unknownNested"',
  'duplicate field "spec.template.spec.containers[0].imagePullPolicy"',
];
const DEPLOYMENT_YAML = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: dupename
  name: NAME
  unknownMeta: metaVal
spec:
  unknown1: val1
  unknownDupe: valDupe
  unknownDupe: valDupe2
  paused: true
  paused: false
  selector: {matchLabels: {app: nginx}}
  template:
    metadata: {labels: {app: nginx}}
    spec:
      containers:
      - name: nginx
        image: nginx:latest
        unknownNested: val1
        imagePullPolicy: Always
        imagePullPolicy: Never
`;
const DEPLOYMENT_YAML_ERRORS = [
  'line 5: key "name" already set in map',
  'line 10: key "unknownDupe" already set in map',
  'line 12: key "paused" already set in map',
  'line 22: key "imagePullPolicy" already set in map',
  'unknown field "metadata.unknownMeta"',
  'unknown field "spec.template.spec.containers[0].unknownNested"',
  'unknown field "spec.unknown1"',
  'unknown field "spec.unknownDupe"',
];
const EMBEDDED = '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "odd": 1, "labels": {"a": "b"}}}';
const WIDGET_JSON = `{
  "apiVersion": "GROUP/v1", "kind": "Widget",
  "metadata": {"name": "dupename", "name": "NAME", "unknownMeta": "x", "managedFields": [{"manager": "a", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {}, "also": 1}]},
  "spec": {
    "unknown1": "val1", "unknownDupe": "valDupe", "unknownDupe": "valDupe2", "knownField1": "val1", "knownField1": "val2",
    "ports": [{"name": "portName", "hostPort": 8081, "hostPort": 8082, "unknownNested": "val"}],
    "embeddedMap": {"z": ${EMBEDDED}}, "embeddedList": [${EMBEDDED}], "embeddedObj": ${EMBEDDED}
  }
}`;
const WIDGET_DUPLICATES = [
  'duplicate field "metadata.name"',
  'duplicate field "spec.unknownDupe"',
  'duplicate field "spec.knownField1"',
  'duplicate field "spec.ports[0].hostPort"',
];
const WIDGET_METADATA = [
  'unknown field "metadata.managedFields[0].also"',
  'unknown field "metadata.unknownMeta"',
  'unknown field "spec.ports[0].unknownNested"',
];
const WIDGET_UNKNOWN = ['unknown field "spec.unknown1"', 'unknown field "spec.unknownDupe"'];
const WIDGET_EMBEDDED = [
  'unknown field "spec.embeddedList[0].metadata.odd"',
  'unknown field "spec.embeddedMap[z].metadata.odd"',
  'unknown field "spec.embeddedObj.metadata.odd"',
];
const WIDGET_YAML = `
apiVersion: GROUP/v1
kind: Widget
metadata:
  name: dupename
  name: NAME
  unknownMeta: metaVal
spec:
  unknown1: val1
  knownField1: val1
  knownField1: val2
  ports:
  - name: portName
    hostPort: 8081
    hostPort: 8082
    unknownNested: val
  embeddedObj:
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: my-cm
      unknownEmbeddedMeta: foo
`;
const WIDGET_YAML_ERRORS = [
  'line 6: key "name" already set in map',
  'line 11: key "knownField1" already set in map',
  'line 15: key "hostPort" already set in map',
  'unknown field "metadata.unknownMeta"',
  'unknown field "spec.ports[0].unknownNested"',
  'unknown field "spec.unknown1"',
  'unknown field "spec.embeddedObj.metadata.unknownEmbeddedMeta"',
];
const DEPLOYMENT_MERGE = `{"spec": {
  "unknown1": "val1", "unknownDupe": "valDupe", "unknownDupe": "valDupe2", "paused": true, "paused": false,
  "template": {"spec": {"containers": [{
    "name": "nginx", "image": "nginx:latest", "unknownNested": "val1",
    "imagePullPolicy": "Always", "imagePullPolicy": "Always"
  }]}}
}}`;
const DEPLOYMENT_MERGE_ERRORS = [
  'duplicate field "spec.unknownDupe"',
  'duplicate field "spec.paused"',
  'duplicate field "spec.template.spec.containers[0].imagePullPolicy"',
  'unknown field "spec.template.spec.containers[0].unknownNested"',
  'unknown field "spec.unknown1"',
  'unknown field "spec.unknownDupe"',
];
const DEPLOYMENT_OPERATIONS = `[
  {"op": "add", "path": "/spec/unknown1", "value": "val1", "foo": "bar", "foo": "bar"},
  {"op": "add", "path": "/spec/unknown2", "path": "/spec/unknown3", "value": "val1"},
  {"op": "add", "path": "/spec/unknownDupe", "value": {"a": 1, "a": 2}},
  {"op": "add", "path": "/spec/paused", "value": true},
  {"op": "add", "path": "/spec/template/spec/containers/0/unknownNested", "value": "val1"}
]`;
const WIDGET_MERGE = `{"spec": {
  "unknown1": "val1", "unknownDupe": "valDupe", "unknownDupe": "valDupe2", "knownField1": "val1", "knownField1": "val2",
  "ports": [{"name": "portName", "hostPort": 8081, "hostPort": 8082, "unknownNested": "val"}]
}}`;
const WIDGET_OPERATIONS = `[
  {"op": "add", "path": "/spec/unknown1", "value": "val1", "foo": "bar"},
  {"op": "add", "path": "/spec/unknown2", "path": "/spec/unknown3", "value": "val2"},
  {"op": "add", "path": "/spec/ports/0/unknownNested", "value": "val"}
]`;

const json = 'application/json';
const yaml = 'application/yaml';
const jsonPatch = 'application/json-patch+json';
const mergePatch = 'application/merge-patch+json';
const strategicPatch = 'application/strategic-merge-patch+json';

/** One request with everything in it that a strict reader refuses. */
export interface WireCase {
  readonly what: string;
  readonly request: readonly [method: string, path: string, contentType: string];
  readonly body: string;
  /** What is warned of; strict, the same in one message. */
  readonly errors: readonly string[];
}

/** What is sent and what is found. */
export const fieldValidationCases: readonly WireCase[] = [
  {
    what: 'JSON of a built-in kind',
    request: ['POST', DEPLOYMENTS, json],
    body: DEPLOYMENT_JSON,
    errors: DEPLOYMENT_JSON_ERRORS,
  },
  {
    what: 'YAML of a built-in kind',
    request: ['POST', DEPLOYMENTS, yaml],
    body: DEPLOYMENT_YAML,
    errors: DEPLOYMENT_YAML_ERRORS,
  },
  {
    what: 'JSON that is sent as YAML',
    request: ['POST', MAPS, yaml],
    body: '{"apiVersion": "v1",\n"kind": "ConfigMap", "metadata": {"name": "NAME"},\n"odd": 1, "data": {"a": "1",\n"a": "2"}, "data":\n{"b": "1", "b":\n"2"}, "also": 1}',
    errors: [
      'line 4: key "a" already set in map',
      'line 6: key "b" already set in map',
      'line 5: key "data" already set in map',
      'unknown field "also"',
      'unknown field "odd"',
    ],
  },
  {
    what: 'an update of a built-in kind',
    request: ['PUT', `${DEPLOYMENTS}/replaced`, json],
    body: DEPLOYMENT_JSON.replace('NAME', 'replaced'),
    errors: DEPLOYMENT_JSON_ERRORS,
  },
  {
    what: 'an update in YAML',
    request: ['PUT', `${DEPLOYMENTS}/replaced`, yaml],
    body: DEPLOYMENT_YAML.replace('NAME', 'replaced'),
    errors: DEPLOYMENT_YAML_ERRORS,
  },
  {
    what: 'a merge patch',
    request: ['PATCH', `${DEPLOYMENTS}/patched`, mergePatch],
    body: DEPLOYMENT_MERGE,
    errors: DEPLOYMENT_MERGE_ERRORS,
  },
  {
    what: 'a merge patch whose fields are all known',
    request: ['PATCH', `${DEPLOYMENTS}/patched`, mergePatch],
    body: '{"spec": {"paused": true, "paused": false}}',
    errors: ['duplicate field "spec.paused"'],
  },
  {
    what: 'a strategic merge patch',
    request: ['PATCH', `${DEPLOYMENTS}/patched`, strategicPatch],
    body: DEPLOYMENT_MERGE,
    errors: DEPLOYMENT_MERGE_ERRORS,
  },
  {
    what: 'a strategic merge patch of many elements: the messages are sorted',
    request: ['PATCH', `${DEPLOYMENTS}/patched`, strategicPatch],
    body: `{"spec": {"template": {"spec": {"tolerations": [${[...Array(11)].map(() => '{"key": "a", "x": 1}').join()}]}}}}`,
    errors: [0, 10, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((i) => `unknown field "spec.template.spec.tolerations[${i}].x"`),
  },
  {
    what: 'a JSON patch',
    request: ['PATCH', `${DEPLOYMENTS}/patched`, jsonPatch],
    body: DEPLOYMENT_OPERATIONS,
    errors: [
      'json patch unknown field "[0].foo"',
      'json patch duplicate field "[1].path"',
      'json patch duplicate field "[2].value.a"',
      'unknown field "spec.template.spec.containers[0].unknownNested"',
      'unknown field "spec.unknown1"',
      'unknown field "spec.unknown3"',
      'unknown field "spec.unknownDupe"',
    ],
  },
  {
    what: 'JSON of a custom resource',
    request: ['POST', WIDGETS, json],
    body: WIDGET_JSON.replace('GROUP', 'strict.example.com'),
    errors: [...WIDGET_DUPLICATES, ...WIDGET_METADATA, ...WIDGET_UNKNOWN, ...WIDGET_EMBEDDED],
  },
  {
    what: 'JSON of a custom resource that keeps unknown fields',
    request: ['POST', OPEN_WIDGETS, json],
    body: WIDGET_JSON.replace('GROUP', 'open.example.com'),
    errors: [...WIDGET_DUPLICATES, ...WIDGET_METADATA, ...WIDGET_EMBEDDED],
  },
  {
    what: 'YAML of a custom resource',
    request: ['POST', WIDGETS, yaml],
    body: WIDGET_YAML.replace('GROUP', 'strict.example.com'),
    errors: WIDGET_YAML_ERRORS,
  },
  {
    what: 'a merge patch of a custom resource',
    request: ['PATCH', `${WIDGETS}/patched`, mergePatch],
    body: WIDGET_MERGE,
    errors: [...WIDGET_DUPLICATES.slice(1), 'unknown field "spec.ports[0].unknownNested"', ...WIDGET_UNKNOWN],
  },
  {
    what: 'a merge patch of a custom resource that keeps unknown fields',
    request: ['PATCH', `${OPEN_WIDGETS}/patched`, mergePatch],
    body: WIDGET_MERGE,
    errors: [...WIDGET_DUPLICATES.slice(1), 'unknown field "spec.ports[0].unknownNested"'],
  },
  {
    what: 'a JSON patch of a custom resource',
    request: ['PATCH', `${WIDGETS}/patched`, jsonPatch],
    body: WIDGET_OPERATIONS,
    errors: [
      'json patch unknown field "[0].foo"',
      'json patch duplicate field "[1].path"',
      'unknown field "spec.ports[0].unknownNested"',
      'unknown field "spec.unknown1"',
      'unknown field "spec.unknown3"',
    ],
  },
  {
    what: 'a JSON patch whose values have fields twice: they are in the object as well',
    request: ['PATCH', `${WIDGETS}/patched`, jsonPatch],
    body: '[{"op": "add", "path": "/spec/ports", "value": [{"name": "a", "name": "b", "zoo": {"x": 1, "x": 2}}]}]',
    errors: [
      'json patch duplicate field "[0].value[0].name"',
      'json patch duplicate field "[0].value[0].zoo.x"',
      'duplicate field "spec.ports[0].name"',
      'duplicate field "spec.ports[0].zoo.x"',
      'unknown field "spec.ports[0].zoo"',
    ],
  },
  {
    what: 'the same of a built-in kind',
    request: ['PATCH', `${MAPS}/patched`, jsonPatch],
    body: '[{"op": "add", "path": "/data", "value": {"b": "1", "b": "2"}}, {"op": "add", "path": "/odd", "value": {"x": 1, "x": 2}}]',
    errors: [
      'json patch duplicate field "[0].value.b"',
      'json patch duplicate field "[1].value.x"',
      'duplicate field "data.b"',
      'unknown field "odd"',
    ],
  },
  {
    what: 'the status of a custom resource',
    request: ['PATCH', `${WIDGETS}/patched/status`, mergePatch],
    body: '{"status": {"odd": 1, "replicas": 1, "replicas": 2}}',
    errors: ['duplicate field "status.replicas"', 'unknown field "status.odd"'],
  },
  {
    what: 'a schema, which is searched up to where Go reads it by itself',
    request: ['POST', DEFINITIONS, json],
    body: `{"metadata": {"name": "NAMEs.defined.example.com"}, "spec": {"group": "defined.example.com", "scope": "Cluster",
      "names": {"plural": "NAMEs", "kind": "NAME", "also": 1}, "versions": [{"name": "v1", "served": true, "storage": true,
      "schema": {"openAPIV3Schema": {"type": "object", "properties": {"a": {"type": "object", "odd": 1,
        "additionalProperties": {"type": "string", "odd": 1, "type": "string"}}}}}}]}}`,
    errors: [
      'unknown field "spec.names.also"',
      'unknown field "spec.versions[0].schema.openAPIV3Schema.properties.a.odd"',
    ],
  },
  {
    what: 'a scale',
    request: ['PUT', `${DEPLOYMENTS}/patched/scale`, json],
    body: '{"metadata": {"name": "patched"}, "spec": {"replicas": 1, "odd": 1, "replicas": 2}}',
    errors: ['unknown field "spec.odd"', 'duplicate field "spec.replicas"'],
  },
  {
    what: 'a patch of a scale',
    request: ['PATCH', `${WIDGETS}/patched/scale`, mergePatch],
    body: '{"spec": {"odd": 1, "replicas": 2, "replicas": 2}}',
    errors: ['duplicate field "spec.replicas"', 'unknown field "spec.odd"'],
  },
  {
    what: 'a request for a token',
    request: ['POST', '/api/v1/namespaces/default/serviceaccounts/default/token', json],
    body: '{"spec": {"audiences": [], "audiences": [], "odd": 1}}',
    errors: ['duplicate field "spec.audiences"', 'unknown field "spec.odd"'],
  },
  {
    what: 'a review, which is not stored',
    request: ['POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', json],
    body: '{"spec": {"resourceAttributes": {"verb": "get", "odd": 1}}}',
    errors: ['unknown field "spec.resourceAttributes.odd"'],
  },
];
