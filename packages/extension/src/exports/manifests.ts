import type { KubeObject, ObjectMeta } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import type { DataVolumeSpec } from '@vireo/api/kinds/cdi/dataVolumeSpec.ts';
import { TOKEN_HEADER, TOKEN_KEY } from '@vireo/api/kinds/export/names.ts';
import type { VirtualMachineExport, VirtualMachineExportLink } from '@vireo/api/kinds/export/virtualMachineExport.ts';
import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { clean } from '../objectgraph/manifests.ts';

type Template = NonNullable<VirtualMachine['spec']['dataVolumeTemplates']>[number];
type Volume = NonNullable<NonNullable<VirtualMachine['spec']['template']['spec']>['volumes']>[number];

/** A claim of the VM, under the name that the VM knows it by. */
export interface ExportedDisk {
  /** What the VM calls it. */
  readonly claim: string;
  /** What the export calls it: of a snapshot it is another claim. */
  readonly volume: string;
  /** What the claim asks for, without what only its old home knows. */
  readonly storage: NonNullable<DataVolumeSpec['storage']>;
}

const certificatesName = ({ metadata }: VirtualMachineExport): string => `export-ca-cm-${metadata.name}`;
const secretName = ({ metadata }: VirtualMachineExport): string => `header-secret-${metadata.name}`;

/**
 * The VM as objects that make it anew elsewhere: its disks become DataVolumes that fetch their data from the export,
 * with the password of `headerSecret`. `vm` has its instance type and preference written out.
 */
export function importManifests(
  exported: VirtualMachineExport,
  vm: VirtualMachine,
  disks: readonly ExportedDisk[],
  links: VirtualMachineExportLink,
): KubeObject[] {
  const urlOf = new Map(
    (links.volumes ?? []).map(({ name, formats = [] }) => [name, formats.find(({ format }) => format === 'gzip')?.url]),
  );
  const source = ({ volume }: ExportedDisk): DataVolumeSpec['source'] => ({
    http: {
      url: urlOf.get(volume) ?? '',
      certConfigMap: certificatesName(exported),
      secretExtraHeaders: [secretName(exported)],
    },
  });
  const fetched = disks.filter(({ volume }) => urlOf.get(volume) !== undefined);
  const templates = vm.spec.dataVolumeTemplates ?? [];
  const isTemplate = ({ claim }: ExportedDisk): boolean => templates.some(({ metadata }) => metadata?.name === claim);
  return [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: certificatesName(exported), namespace: vm.metadata.namespace },
      data: { 'ca.pem': links.cert },
    } as KubeObject,
    ...fetched
      .filter((disk) => !isTemplate(disk))
      .map((disk) => dataVolume(disk, vm.metadata.namespace, { source: source(disk), storage: disk.storage })),
    vmManifest(
      vm,
      templates.map((template) => fetchingTemplate(template, fetched, source)),
    ),
  ];
}

/** The Secret whose header opens the export to DataVolumes. */
export const headerSecret = (exported: VirtualMachineExport, token: string): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: secretName(exported), namespace: exported.metadata.namespace },
    stringData: { [TOKEN_KEY]: `${TOKEN_HEADER}:${token}` },
  }) as KubeObject;

const dataVolume = ({ claim }: ExportedDisk, namespace: string | undefined, spec: DataVolumeSpec): DataVolume => ({
  apiVersion: `${DataVolume.group}/${DataVolume.version}`,
  kind: DataVolume.kind,
  metadata: { name: claim, namespace },
  spec,
});

function fetchingTemplate(
  { metadata, spec }: Template,
  disks: readonly ExportedDisk[],
  source: (disk: ExportedDisk) => DataVolumeSpec['source'],
): Template {
  const disk = disks.find(({ claim }) => claim === metadata?.name);
  const { name, labels, annotations } = (metadata ?? {}) as ObjectMeta;
  const kept = { name, ...(labels && { labels }), ...(annotations && { annotations }) };
  if (!disk) return { metadata: kept, spec };
  const { source: _source, sourceRef: _ref, pvc: _pvc, storage: _storage, ...rest } = spec;
  return { metadata: kept, spec: { ...rest, source: source(disk), storage: disk.storage } };
}

/** A dump of memory is of the VM that there was. */
const isKept = ({ memoryDump }: Volume): boolean => memoryDump === undefined;

function vmManifest(vm: VirtualMachine, dataVolumeTemplates: Template[]): KubeObject {
  const { instancetype: _type, preference: _preference, dataVolumeTemplates: _templates, ...spec } = vm.spec;
  const vmiSpec = spec.template.spec;
  const volumes = vmiSpec?.volumes?.filter(isKept);
  const template = { ...spec.template, ...(vmiSpec && { spec: { ...vmiSpec, ...(volumes && { volumes }) } }) };
  return clean({
    ...vm,
    spec: { ...spec, template, ...(dataVolumeTemplates.length > 0 && { dataVolumeTemplates }) },
  });
}
