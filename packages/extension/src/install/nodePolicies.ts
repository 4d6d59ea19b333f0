import { type Kind, type KubeObject, PersistentVolume, PersistentVolumeClaim } from '@vireo/api';
import {
  LOCAL_PROVISIONER,
  PROVISIONED_BY,
  PROVISIONER_FINALIZER,
  SELECTED_NODE,
  SHARED_PROVISIONER,
  VOLUME_MANAGER,
} from '@vireo/api/kinds/core/volumeNames.ts';
import { nodeUser } from '@vireo/api/kinds/kubevirt/identities.ts';
import { MIGRATION_PROGRESS_ANNOTATION } from '@vireo/api/kinds/kubevirt/migration.ts';
import { NODE_NAME_LABEL } from '@vireo/api/kinds/kubevirt/names.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { CONTENT_PROTECTION, MANAGED_BY } from '@vireo/api/kinds/volumesnapshot/names.ts';
import { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';
import { CLAIM_REPORTS, CLAIM_STATUS } from '../admission/nodeLimits/claims.ts';
import { IS_NODE } from '../admission/nodeLimits/index.ts';
import { LOCAL_FIELDS, VOLUME_SPEC } from '../admission/nodeLimits/volumes.ts';

/** One condition that a write of a node has to meet, in CEL. */
interface Validation {
  readonly expression: string;
  readonly message: string;
}

const ADMISSION = 'admissionregistration.k8s.io/v1';

/**
 * The limits of nodes once more, in the server itself: `admission/nodeLimits` as far as the object alone tells. They
 * hold while the extension is replaced by somebody else's, and where its configuration was deleted.
 */
export const nodePolicies = (): KubeObject[] =>
  [
    policy(VirtualMachineInstance, VMIS),
    policy(PersistentVolumeClaim, CLAIMS),
    policy(PersistentVolume, VOLUMES),
    policy(VolumeSnapshotContent, CONTENTS),
  ].flat();

function policy({ group, plural }: Kind, validations: readonly Validation[]): KubeObject[] {
  const metadata = { name: `nodes.vireo.dev-${plural}`, labels: { 'kubevirt.io': '' } };
  return [
    {
      apiVersion: ADMISSION,
      kind: 'ValidatingAdmissionPolicy',
      metadata,
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          resourceRules: [
            {
              apiGroups: [group],
              apiVersions: ['*'],
              resources: [plural, `${plural}/status`],
              operations: ['CREATE', 'UPDATE', 'DELETE'],
            },
          ],
        },
        matchConditions: [{ name: 'is-node', expression: IS_NODE }],
        variables: VARIABLES,
        validations: validations.map((each) => ({ ...each, reason: 'Forbidden' })),
      },
    } as KubeObject,
    {
      apiVersion: ADMISSION,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata,
      spec: { policyName: metadata.name, validationActions: ['Deny'] },
    } as KubeObject,
  ];
}

const PREFIX = nodeUser('');
const quoted = (text: string): string => `'${text}'`;
const listOf = (texts: readonly string[]): string => `[${texts.map(quoted).join(', ')}]`;

const VARIABLES = [
  {
    name: 'node',
    expression: `request.userInfo.username.startsWith(${quoted(PREFIX)}) ? request.userInfo.username.substring(${PREFIX.length}) : ''`,
  },
  // Fields are looked at as keys of a map, which no schema has to know.
  { name: 'now', expression: 'dyn(object)' },
  { name: 'old', expression: 'dyn(oldObject)' },
];
const NOW = 'variables.now';
const OLD = 'variables.old';
const NODE = 'variables.node';

const mapAt = (of: string, path: string): string => `${of}.${path}.orValue({})`;
const textAt = (of: string, path: string): string => `${of}.${path}.orValue('')`;
const annotationAt = (of: string, key: string): string => textAt(of, `metadata.?annotations[?${quoted(key)}]`);

/** Whether a map of the object is what it was, but for some keys. */
function keeps(path: string, changeable: readonly string[] = []): string {
  const [now, before] = [mapAt(NOW, path), mapAt(OLD, path)];
  if (changeable.length === 0) return `${now} == ${before}`;
  const isChangeable = `k in ${listOf(changeable)}`;
  return (
    `${now}.all(k, ${isChangeable} || (k in ${before} && ${now}[k] == ${before}[k])) && ` +
    `${before}.all(k, ${isChangeable} || k in ${now})`
  );
}

function keepsFinalizers(removable: string | undefined): string {
  const [now, before] = [NOW, OLD].map((of) => `${of}.metadata.?finalizers.orValue([])`);
  if (removable === undefined) return `${now} == ${before}`;
  return `${before}.all(f, f == ${quoted(removable)} || f in ${now}) && ${now}.all(f, f in ${before})`;
}

/** The object belongs to whom it did and says what it said, but for some annotations and one finalizer. */
const metadataKept = (
  annotations: readonly string[],
  finalizer?: string,
  labels: string = keeps('metadata.?labels'),
): Validation[] => [
  { expression: labels, message: 'nodes do not change labels' },
  { expression: keeps('metadata.?annotations', annotations), message: 'nodes do not change such annotations' },
  {
    expression: `${NOW}.metadata.?ownerReferences.orValue([]) == ${OLD}.metadata.?ownerReferences.orValue([])`,
    message: 'nodes do not change owners',
  },
  { expression: keepsFinalizers(finalizer), message: 'nodes do not change such finalizers' },
];

/** What holds for updates, which have an object before and after. */
const ofUpdates = (validations: readonly Validation[]): Validation[] =>
  validations.map(({ expression, message }) => ({
    expression: `request.operation != 'UPDATE' || (${expression})`,
    message,
  }));
const onlyUpdates = (what: string): Validation => ({
  expression: "request.operation == 'UPDATE'",
  message: `nodes neither create nor delete ${what}`,
});

const TARGET = '?status.?migrationState.?targetNode';
/** A migration that has ended leaves its target there, also where it failed. */
const OPEN_TARGET = `${OLD}.?status.?migrationState.?endTimestamp.hasValue() ? '' : ${textAt(OLD, TARGET)}`;
const PLACES = `[${textAt(OLD, '?status.?nodeName')}, ${OPEN_TARGET}]`;

const labelAt = (of: string): string => textAt(of, `metadata.?labels[?${quoted(NODE_NAME_LABEL)}]`);
/** The label follows the guest: it may say the node that a migration brings the guest to. */
const LABELS_FOLLOW =
  `(${keeps('metadata.?labels', [NODE_NAME_LABEL])}) && (${labelAt(NOW)} == ${labelAt(OLD)} || ` +
  `(${labelAt(NOW)} != '' && ${labelAt(NOW)} == (${OPEN_TARGET}) && ${labelAt(NOW)} == ${textAt(NOW, '?status.?nodeName')}))`;

/** What was decided before a migration was handed over to its nodes. */
const FIXED = ['migrationUid', 'sourceNode', 'sourcePod', 'targetPod'];

const VMIS: readonly Validation[] = [
  onlyUpdates('VMIs'),
  ...ofUpdates([
    {
      expression: `${NODE} != '' && ${NODE} in ${PLACES}`,
      message: 'the VMI neither runs on this node nor moves there',
    },
    { expression: keeps('?spec'), message: 'nodes do not change the spec of a VMI' },
    { expression: `${textAt(NOW, '?status.?nodeName')} in ${PLACES}`, message: 'nodes do not choose where a VMI runs' },
    { expression: keeps('?status.?activePods'), message: 'nodes do not change status.activePods' },
    {
      expression: `${textAt(NOW, TARGET)} == ${textAt(OLD, TARGET)}`,
      message: 'nodes do not choose where a VMI moves',
    },
    ...FIXED.map((name) => ({
      expression: `${textAt(NOW, `?status.?migrationState.?${name}`)} == ${textAt(OLD, `?status.?migrationState.?${name}`)}`,
      message: `nodes do not change status.migrationState.${name}`,
    })),
    ...metadataKept([MIGRATION_PROGRESS_ANNOTATION], undefined, LABELS_FOLLOW),
  ]),
];

/** Whether the volume of a bound claim is on the node, only the webhook can tell. */
const CLAIMS: readonly Validation[] = [
  onlyUpdates('claims'),
  ...ofUpdates([
    {
      expression:
        `${NODE} != '' && ` +
        `(${textAt(OLD, '?spec.?volumeName')} != '' || ${annotationAt(OLD, SELECTED_NODE)} == ${NODE})`,
      message: 'this node was not chosen for the claim',
    },
    { expression: keeps('?spec'), message: 'nodes do not change the spec of a claim' },
    { expression: keeps('?status', CLAIM_STATUS), message: 'nodes report only capacity and conditions' },
    ...metadataKept(CLAIM_REPORTS),
  ]),
];

const VOLUME = `(request.operation == 'CREATE' ? ${NOW} : ${OLD})`;
const TERMS = `${VOLUME}.spec.?nodeAffinity.?required.?nodeSelectorTerms.orValue([])`;

/** As the node's agent says it: another way may mean other nodes besides. */
const OWN_TERMS = `[{'matchExpressions': [{'key': dyn('kubernetes.io/hostname'), 'operator': dyn('In'), 'values': dyn([${NODE}])}]}]`;

/** Whether the claim of a new volume is one for the node, only the webhook can tell. */
const VOLUMES: readonly Validation[] = [
  {
    expression:
      `${NODE} != '' && has(${VOLUME}.spec.local) && ` +
      `(${annotationAt(VOLUME, PROVISIONED_BY)} == ${quoted(SHARED_PROVISIONER)} ` +
      `? ${annotationAt(VOLUME, VOLUME_MANAGER)} == ${NODE} ` +
      `: ${annotationAt(VOLUME, PROVISIONED_BY)} == ${quoted(LOCAL_PROVISIONER)} && ${TERMS} == ${OWN_TERMS})`,
    message: 'the volume is not on this node',
  },
  {
    expression:
      `request.operation != 'CREATE' || (${NOW}.metadata.name == 'pvc-' + ${textAt(NOW, 'spec.?claimRef.?uid')} && ` +
      `${NOW}.spec.all(k, k in ${listOf(LOCAL_FIELDS)}))`,
    message: 'nodes create only local volumes, for claims',
  },
  ...ofUpdates([
    { expression: keeps('?spec', VOLUME_SPEC), message: 'nodes change only the capacity of volumes' },
    ...metadataKept([], PROVISIONER_FINALIZER),
  ]),
];

const CONTENTS: readonly Validation[] = [
  onlyUpdates('the contents of snapshots'),
  ...ofUpdates([
    {
      expression: `${NODE} != '' && ${textAt(OLD, `metadata.?labels[?${quoted(MANAGED_BY)}]`)} == ${NODE}`,
      message: 'the data of the snapshot is not on this node',
    },
    { expression: keeps('?spec'), message: 'nodes do not change the spec of the content of a snapshot' },
    ...metadataKept([], CONTENT_PROTECTION),
  ]),
];
