import {
  ConfigMap,
  ControllerRevision,
  PersistentVolume,
  PersistentVolumeClaim,
  PriorityClass,
  Secret,
  ServiceAccount,
  StorageClass,
  type UnknownObject,
} from '@vireo/api';
import { isObject, type JsonObject } from '@vireo/api/json.ts';
import { DataImportCron } from '@vireo/api/kinds/cdi/dataImportCron.ts';
import { DataSource } from '@vireo/api/kinds/cdi/dataSource.ts';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { IMPORT_CRON_LABEL } from '@vireo/api/kinds/cdi/importCron.ts';
import { NetworkAttachmentDefinition } from '@vireo/api/kinds/cni/networkAttachmentDefinition.ts';
import { VirtualMachineExport } from '@vireo/api/kinds/export/virtualMachineExport.ts';
import { KeyPair, keyPairsOf } from '@vireo/api/kinds/harvester/keyPair.ts';
import { IMAGE_ID, SSH_NAMES, TEMPLATE_ID } from '@vireo/api/kinds/harvester/names.ts';
import { HarvesterBackup } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import { VirtualMachineImage } from '@vireo/api/kinds/harvester/virtualMachineImage.ts';
import { HarvesterRestore } from '@vireo/api/kinds/harvester/virtualMachineRestore.ts';
import { HarvesterTemplate } from '@vireo/api/kinds/harvester/virtualMachineTemplate.ts';
import { VirtualMachineTemplateVersion } from '@vireo/api/kinds/harvester/virtualMachineTemplateVersion.ts';
import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { VirtualMachinePool } from '@vireo/api/kinds/pool/virtualMachinePool.ts';
import { VirtualMachineRestore } from '@vireo/api/kinds/snapshot/virtualMachineRestore.ts';
import { VirtualMachineSnapshot } from '@vireo/api/kinds/snapshot/virtualMachineSnapshot.ts';
import { VirtualMachineSnapshotContent } from '@vireo/api/kinds/snapshot/virtualMachineSnapshotContent.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';
import { MATCHER_FIELDS, MatcherError, matcherKind } from '@vireo/hypervisor';
import type { ResourceRef } from '@vireo/kube';
import { kindKey, ResourceClaim, ResourceClaimTemplate } from './kinds.ts';
import { type Needed, neededBy, type Reference, type Section } from './references.ts';

/**
 * The one place where each kind declares what it refers to. A new field that names an object gets a line here; a test
 * finds those that were forgotten.
 */

const always = (): boolean => true;
const mayBeMissing = ({ optional }: JsonObject): boolean => optional === true;

/** Of a VMI's spec. */
const CREDENTIALS: Section = {
  each: 'accessCredentials[]',
  references: [
    { at: 'sshPublicKey.source.secret.secretName', to: Secret },
    { at: 'userPassword.source.secret.secretName', to: Secret },
  ],
};

const VOLUMES: Section = {
  each: 'volumes[]',
  references: [
    { at: 'dataVolume.name', to: DataVolume },
    { at: 'persistentVolumeClaim.claimName', to: PersistentVolumeClaim },
    { at: 'ephemeral.persistentVolumeClaim.claimName', to: PersistentVolumeClaim },
    { at: 'memoryDump.claimName', to: PersistentVolumeClaim },
    { at: 'configMap.name', to: ConfigMap, isOptional: mayBeMissing },
    { at: 'secret.secretName', to: Secret, isOptional: mayBeMissing },
    { at: 'serviceAccount.serviceAccountName', to: ServiceAccount },
    { at: 'cloudInitNoCloud.secretRef.name', to: Secret },
    { at: 'cloudInitNoCloud.networkDataSecretRef.name', to: Secret },
    { at: 'cloudInitConfigDrive.secretRef.name', to: Secret },
    { at: 'cloudInitConfigDrive.networkDataSecretRef.name', to: Secret },
    { at: 'sysprep.configMap.name', to: ConfigMap },
    { at: 'sysprep.secret.name', to: Secret },
    { at: 'containerDisk.imagePullSecret', to: Secret },
  ],
};

const UTILITY_VOLUMES: Section = {
  each: 'utilityVolumes[]',
  references: [{ at: 'claimName', to: PersistentVolumeClaim }],
};

const NETWORKS: Section = {
  each: 'networks[]',
  // As in KubeVirt: the cluster that a VM is restored to may have networks of its own.
  references: [{ at: 'multus.networkName', to: NetworkAttachmentDefinition, isQualified: true, isOptional: always }],
};

const LAUNCH: Section = {
  references: [
    { at: 'domain.firmware.kernelBoot.container.imagePullSecret', to: Secret },
    { at: 'serviceAccountName', to: ServiceAccount },
    { at: 'priorityClassName', to: PriorityClass },
    { at: 'resourceClaims[].resourceClaimName', to: ResourceClaim },
    { at: 'resourceClaims[].resourceClaimTemplateName', to: ResourceClaimTemplate },
  ],
};

/** What a VMI's spec refers to, in two parts: the claim of the firmware's state stands between them. */
export const VMI_REFERENCES: { readonly disks: readonly Section[]; readonly rest: readonly Section[] } = {
  disks: [CREDENTIALS, VOLUMES, UTILITY_VOLUMES],
  rest: [NETWORKS, LAUNCH],
};

const movedFrom = (at: string): readonly Section[] => [
  { references: [{ at: `${at}[].sourcePVCInfo.claimName`, to: PersistentVolumeClaim }] },
];

/** Of a VM and of a VMI whose volumes move to other claims: until they have, their data is where they come from. */
export const VM_MOVES = movedFrom('status.volumeUpdateState.volumeMigrationState.migratedVolumes');
export const VMI_MOVES = movedFrom('status.migratedVolumes');

/** Once its claim is filled, a DataVolume needs no source. */
const isFilled = (_: JsonObject, { status }: JsonObject): boolean => isObject(status) && status.phase === 'Succeeded';

const from = (source: string, ...references: readonly (readonly [field: string, to: ResourceRef])[]) =>
  references.map(([field, to]) => ({ at: `source.${source}.${field}`, to, isOptional: isFilled }));

/** Of a DataVolume's spec; its claim has its name. */
export const DATA_VOLUME: readonly Section[] = [
  {
    references: [
      { at: 'source.pvc.name', to: PersistentVolumeClaim, namespaceIn: 'namespace', isOptional: isFilled },
      { at: 'source.snapshot.name', to: VolumeSnapshot, namespaceIn: 'namespace', isOptional: isFilled },
      ...from('gcs', ['secretRef', Secret]),
      ...from('http', ['secretRef', Secret], ['secretExtraHeaders[]', Secret], ['certConfigMap', ConfigMap]),
      ...from('imageio', ['secretRef', Secret], ['certConfigMap', ConfigMap]),
      ...from('registry', ['secretRef', Secret], ['certConfigMap', ConfigMap]),
      ...from('s3', ['secretRef', Secret], ['certConfigMap', ConfigMap]),
      ...from('vddk', ['secretRef', Secret], ['extraArgs', ConfigMap]),
      { at: 'sourceRef.name', to: DataSource, namespaceIn: 'namespace', isOptional: isFilled },
      { at: 'serviceAccountName', to: ServiceAccount, isOptional: isFilled },
      { at: 'priorityClassName', to: PriorityClass, isOptional: isFilled },
    ],
  },
];

/** Of the spec of a claim: of an object, or as a DataVolume has it in `pvc` and `storage`. */
export const CLAIM: readonly Reference[] = [
  // Another volume can take its place: the data counts, and that is in no object.
  { at: 'volumeName', to: PersistentVolume, isOptional: always },
  { at: 'storageClassName', to: StorageClass },
];

/** What a claim started as; the server writes the older `dataSource` there as well. */
const CLAIM_SOURCE: Reference = {
  at: 'dataSourceRef.name',
  to: 'typed',
  namespaceIn: 'namespace',
  isOptional: always,
};

const DATA_SOURCE: Section = {
  references: [
    { at: 'spec.source.pvc.name', to: PersistentVolumeClaim, namespaceIn: 'namespace' },
    { at: 'spec.source.snapshot.name', to: VolumeSnapshot, namespaceIn: 'namespace' },
    { at: 'spec.source.dataSource.name', to: DataSource, namespaceIn: 'namespace' },
  ],
};

/** What its imports need: they are DataVolumes of its template. */
const IMPORT_CRON: readonly Section[] = [
  ...DATA_VOLUME.map((section) => ({ ...section, each: 'spec.template.spec' })),
  ...['pvc', 'storage'].map((of) => ({ each: `spec.template.spec.${of}`, references: CLAIM })),
  { references: [{ at: 'spec.serviceAccountName', to: ServiceAccount }] },
];

/** Its password and the claims that it is read from; the system names a Secret where the user does not. */
const EXPORT: Section = {
  references: [
    { at: 'spec.tokenSecretRef', to: Secret },
    { at: 'status.tokenSecretRef', to: Secret },
    { at: 'status.links.internal.volumes[].name', to: PersistentVolumeClaim },
  ],
};

/** Of whole objects, by kind. VMs and DataVolumes have more to them than declarations: see `graph.ts`. */
export const DEPENDENCIES: ReadonlyMap<string, readonly Section[]> = new Map(
  (
    [
      [PersistentVolumeClaim, [{ each: 'spec', references: [...CLAIM, CLAIM_SOURCE] }]],
      [DataSource, [DATA_SOURCE]],
      [DataImportCron, IMPORT_CRON],
      [ServiceAccount, [{ references: [{ at: 'imagePullSecrets[].name', to: Secret }] }]],
      [VolumeSnapshot, [{ references: [{ at: 'status.boundVolumeSnapshotContentName', to: VolumeSnapshotContent }] }]],
      [VirtualMachineExport, [EXPORT]],
      [
        HarvesterTemplate,
        [{ references: [{ at: 'spec.defaultVersionId', to: VirtualMachineTemplateVersion, isQualified: true }] }],
      ],
      [VirtualMachineTemplateVersion, [{ references: [{ at: 'spec.keyPairIds[]', to: KeyPair, isQualified: true }] }]],
      [
        VirtualMachineSnapshot,
        [{ references: [{ at: 'status.virtualMachineSnapshotContentName', to: VirtualMachineSnapshotContent }] }],
      ],
      [
        VirtualMachineRestore,
        [{ references: [{ at: 'spec.virtualMachineSnapshotName', to: VirtualMachineSnapshot }] }],
      ],
      [
        HarvesterRestore,
        [
          {
            each: 'spec',
            references: [
              {
                at: 'virtualMachineBackupName',
                to: HarvesterBackup,
                namespaceIn: 'virtualMachineBackupNamespace',
              },
            ],
          },
        ],
      ],
      [
        VirtualMachineSnapshotContent,
        [{ references: [{ at: 'spec.volumeBackups[].volumeSnapshotName', to: VolumeSnapshot }] }],
      ],
    ] as const satisfies readonly (readonly [ResourceRef, readonly Section[]])[]
  ).map(([kind, sections]) => [kindKey(kind), sections]),
);

/** What Harvester's clients note on a VM: its KeyPairs, whose keys are in its cloud-init, and the template that it is made from. */
export function notedOnVm({ metadata, spec }: Pick<VirtualMachine, 'metadata' | 'spec'>): readonly Needed[] {
  const { namespace = '', labels = {} } = metadata;
  const template = labels[TEMPLATE_ID];
  const pairs = keyPairsOf(spec.template).map((id) =>
    qualified(id, { kind: KeyPair, namespace, fieldPath: `spec.template.metadata.annotations[${SSH_NAMES}]` }),
  );
  if (!template) return pairs;
  return [
    ...pairs,
    qualified(template, { kind: HarvesterTemplate, namespace, fieldPath: `metadata.labels[${TEMPLATE_ID}]` }),
  ];
}

/** The image that the data of a claim began with; the claim has a copy of it. */
export function imageOfClaim({ metadata }: UnknownObject, namespace: string): readonly Needed[] {
  const id = metadata.annotations?.[IMAGE_ID];
  return id
    ? [qualified(id, { kind: VirtualMachineImage, namespace, fieldPath: `metadata.annotations[${IMAGE_ID}]` })]
    : [];
}

/** The DataImportCron that keeps a DataSource up to date; what the DataSource stands for is there without it. */
export function cronOfDataSource({ metadata }: UnknownObject, namespace: string): readonly Needed[] {
  const name = metadata.labels?.[IMPORT_CRON_LABEL];
  const fieldPath = `metadata.labels[${IMPORT_CRON_LABEL}]`;
  return name ? [{ kind: DataImportCron, name, namespace, fieldPath, isOptional: true }] : [];
}

/** By `namespace/name`, or a name of the same namespace. */
function qualified(id: string, needed: Pick<Needed, 'kind' | 'namespace' | 'fieldPath'>): Needed {
  const slash = id.indexOf('/');
  const namespace = slash < 0 ? needed.namespace : id.slice(0, slash);
  return { ...needed, namespace, name: id.slice(slash + 1), isOptional: true };
}

/** The instance type and the preference of a VM, each before the revision that keeps it as it was. */
export function instancetypeAndPreference({
  metadata,
  spec,
  status,
}: Pick<VirtualMachine, 'metadata' | 'spec' | 'status'>): readonly Needed[] {
  const { namespace = '' } = metadata;
  return MATCHER_FIELDS.flatMap((field) => {
    const matcher = spec[field];
    if (!matcher) return [];
    const kind = kindOf(field, matcher);
    const kept = status?.[`${field}Ref`];
    const revision = kept
      ? { name: kept.controllerRevisionRef?.name, fieldPath: `status.${field}Ref.controllerRevisionRef.name` }
      : { name: matcher.revisionName, fieldPath: `spec.${field}.revisionName` };
    const at = { kind: ControllerRevision, namespace, isOptional: false };
    return [
      ...(kind && matcher.name
        ? [
            {
              kind,
              name: matcher.name,
              namespace: kind.namespaced ? namespace : '',
              fieldPath: `spec.${field}.name`,
              isOptional: true,
            },
          ]
        : []),
      ...(revision.name ? [{ ...at, name: revision.name, fieldPath: revision.fieldPath }] : []),
    ];
  });
}

/**
 * What the template of a pool names and all of its VMs share. DataVolumes of the VMs, and ConfigMaps and Secrets that end
 * in their numbers, are theirs.
 */
export function namedByPool(pool: VirtualMachinePool): readonly Needed[] {
  const { metadata, spec } = pool;
  const { namespace = '' } = metadata;
  const { spec: vm } = spec.virtualMachineTemplate;
  if (!vm) return [];
  const { appendIndexToConfigMapRefs = false, appendIndexToSecretRefs = false } = spec.nameGeneration ?? {};
  const templates = new Set(vm.dataVolumeTemplates?.map((each) => each.metadata?.name));
  const isOfVm = ({ kind, name, fieldPath }: Needed): boolean =>
    ((kind === DataVolume || kind === PersistentVolumeClaim) && templates.has(name)) ||
    (fieldPath.includes('.volumes[') &&
      ((kind === ConfigMap && appendIndexToConfigMapRefs) || (kind === Secret && appendIndexToSecretRefs)));
  const sections = [...VMI_REFERENCES.disks, ...VMI_REFERENCES.rest];
  const types = instancetypeAndPreference({ metadata, spec: vm }).map((each) => ({
    ...each,
    fieldPath: `spec.virtualMachineTemplate.${each.fieldPath}`,
  }));
  const named = neededBy({ ...pool }, namespace, sections, 'spec.virtualMachineTemplate.spec.template.spec');
  return [...types, ...named.filter((each) => !isOfVm(each))];
}

/** Admission lets no other kind in; one that came in before it is no reason to have no graph. */
function kindOf(field: (typeof MATCHER_FIELDS)[number], matcher: { readonly kind?: string }): ResourceRef | undefined {
  try {
    return matcherKind(field, matcher);
  } catch (error) {
    if (error instanceof MatcherError) return undefined;
    throw error;
  }
}
