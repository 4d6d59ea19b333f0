/** The types of `request` and `namespaceObject`, as Kubernetes declares them for the expressions of admission. */
import {
  BOOL,
  type CelType,
  DYN,
  INT,
  listType,
  mapType,
  STRING,
  type StructType,
  type StructTypes,
  structType,
  TIMESTAMP,
} from '../../cel/index.ts';

const TEXTS = listType(STRING);
const LABELS = mapType(STRING, STRING);

const GVK = struct('kubernetes.GroupVersionKind', { group: STRING, version: STRING, kind: STRING });
const GVR = struct('kubernetes.GroupVersionResource', { group: STRING, version: STRING, resource: STRING });

const USER_INFO = struct('kubernetes.UserInfo', {
  username: STRING,
  uid: STRING,
  groups: TEXTS,
  extra: mapType(STRING, TEXTS),
});

/** The type of `request`: an AdmissionRequest without its uid and objects. */
export const ADMISSION_REQUEST = struct('kubernetes.AdmissionRequest', {
  kind: GVK.type,
  resource: GVR.type,
  subResource: STRING,
  requestKind: GVK.type,
  requestResource: GVR.type,
  requestSubResource: STRING,
  name: STRING,
  namespace: STRING,
  operation: STRING,
  userInfo: USER_INFO.type,
  dryRun: BOOL,
  options: DYN,
});

const NAMESPACE_METADATA = struct('kubernetes.NamespaceMetadata', {
  name: STRING,
  generateName: STRING,
  namespace: STRING,
  labels: LABELS,
  annotations: LABELS,
  UID: STRING,
  creationTimestamp: TIMESTAMP,
  deletionGracePeriodSeconds: INT,
  deletionTimestamp: TIMESTAMP,
  generation: INT,
  resourceVersion: STRING,
  finalizers: TEXTS,
});
const NAMESPACE_SPEC = struct('kubernetes.NamespaceSpec', { finalizers: TEXTS });
const NAMESPACE_CONDITION = struct('kubernetes.NamespaceCondition', {
  status: STRING,
  type: STRING,
  lastTransitionTime: TIMESTAMP,
  message: STRING,
  reason: STRING,
});
const NAMESPACE_STATUS = struct('kubernetes.NamespaceStatus', {
  conditions: listType(NAMESPACE_CONDITION.type),
  phase: STRING,
});

/** The type of `namespaceObject`: a Namespace without owners and managers. */
export const NAMESPACE = struct('kubernetes.Namespace', {
  metadata: NAMESPACE_METADATA.type,
  spec: NAMESPACE_SPEC.type,
  status: NAMESPACE_STATUS.type,
});

const BY_NAME = new Map(
  [
    GVK,
    GVR,
    USER_INFO,
    ADMISSION_REQUEST,
    NAMESPACE_METADATA,
    NAMESPACE_SPEC,
    NAMESPACE_CONDITION,
    NAMESPACE_STATUS,
    NAMESPACE,
  ].map((each) => [each.type.name, each]),
);

/** All of these types, for an environment. */
export const requestTypes: StructTypes = { find: (name) => BY_NAME.get(name) };

function struct(name: string, fields: Readonly<Record<string, CelType>>): StructType {
  return {
    type: structType(name),
    field: (field) => (Object.hasOwn(fields, field) ? fields[field] : undefined),
  };
}
