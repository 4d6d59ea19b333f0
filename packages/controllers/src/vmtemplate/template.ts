import { controllerReference, type Persisted } from '@vireo/api';
import type { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { BIND_IMMEDIATE } from '@vireo/api/kinds/cdi/names.ts';
import type { VirtualMachineSpec } from '@vireo/api/kinds/kubevirt/virtualMachineSpec.ts';
import { claimNameOf } from '@vireo/api/kinds/kubevirt/volume.ts';
import type { VirtualMachineSnapshotContent } from '@vireo/api/kinds/snapshot/virtualMachineSnapshotContent.ts';
import { REQUEST_UID } from '@vireo/api/kinds/template/names.ts';
import { VirtualMachineTemplate } from '@vireo/api/kinds/template/virtualMachineTemplate.ts';
import type { VirtualMachineTemplateRequest } from '@vireo/api/kinds/template/virtualMachineTemplateRequest.ts';
import type { Draft } from '@vireo/kube';

type Request = Persisted<VirtualMachineTemplateRequest>;

export const templateNameOf = ({ metadata, spec }: Request): string => spec.templateName || metadata.name;

/** How a template refers to one of its parameters. */
const parameter = (name: string): string => `\${${name}}`;

/** The claim that a template keeps a disk on. */
const diskName = (template: string, volume: string): string => `${template}-${volume}`;

/** The template of a VM as its snapshot has it: its name is a parameter, and its disks are copies of the template's. */
export function templateDraft(
  request: Request,
  { spec: content }: VirtualMachineSnapshotContent,
): Draft<VirtualMachineTemplate> {
  const name = templateNameOf(request);
  const { metadata, spec } = content.source.virtualMachine ?? {};
  const kept = (content.volumeBackups ?? []).map(({ volumeName }) => volumeName);
  return {
    metadata: {
      name,
      namespace: request.metadata.namespace,
      labels: { ...request.spec.templateLabels, [REQUEST_UID]: request.metadata.uid },
    },
    spec: {
      parameters: [{ name: 'NAME', description: 'Name of the VM.', required: true }],
      virtualMachine: {
        metadata: { name: parameter('NAME'), ...(metadata?.labels && { labels: metadata.labels }) },
        spec: spec && { ...withDisks(spec, name, kept, request.metadata.namespace ?? '') },
      },
    },
  };
}

function withDisks(spec: VirtualMachineSpec, template: string, kept: readonly string[], namespace: string): object {
  const { firmware, devices, ...domain } = spec.template.spec?.domain ?? { devices: {} };
  const { uuid: _uuid, serial: _serial, ...settings } = firmware ?? {};
  const replaced = new Set(
    (spec.template.spec?.volumes ?? []).filter(({ name }) => kept.includes(name)).map((volume) => claimNameOf(volume)),
  );
  return {
    ...spec,
    ...withoutRevisions(spec),
    dataVolumeTemplates: [
      ...(spec.dataVolumeTemplates ?? []).filter(({ metadata }) => !replaced.has(metadata?.name)),
      ...kept.map((volume) => ({
        metadata: { name: `${parameter('NAME')}-${volume}` },
        spec: { source: { pvc: { namespace, name: diskName(template, volume) } }, storage: {} },
      })),
    ],
    template: {
      ...spec.template,
      spec: {
        ...spec.template.spec,
        domain: {
          ...domain,
          ...(Object.keys(settings).length > 0 && { firmware: settings }),
          devices: {
            ...devices,
            ...(devices.interfaces && { interfaces: devices.interfaces.map(({ macAddress: _mac, ...card }) => card) }),
          },
        },
        volumes: spec.template.spec?.volumes?.map((volume) =>
          kept.includes(volume.name)
            ? { name: volume.name, dataVolume: { name: `${parameter('NAME')}-${volume.name}` } }
            : volume,
        ),
      },
    },
  };
}

/** What an instance type was for the VM is kept with its snapshot, which goes: new VMs take what it is by then. */
const withoutRevisions = ({ instancetype, preference }: VirtualMachineSpec): object => ({
  ...(instancetype && { instancetype: { ...instancetype, revisionName: undefined } }),
  ...(preference && { preference: { ...preference, revisionName: undefined } }),
});

/** The disks that a template keeps: each a copy of a volume of the snapshot. They go when the template does. */
export function diskDrafts(
  template: Persisted<VirtualMachineTemplate>,
  { metadata, spec }: VirtualMachineSnapshotContent,
): Draft<DataVolume>[] {
  return (spec.volumeBackups ?? []).flatMap(({ volumeName, volumeSnapshotName }) =>
    volumeSnapshotName
      ? [
          {
            metadata: {
              name: diskName(template.metadata.name, volumeName),
              namespace: template.metadata.namespace,
              annotations: { [BIND_IMMEDIATE]: '' },
              ownerReferences: [controllerReference(template, VirtualMachineTemplate)],
            },
            spec: {
              source: { snapshot: { namespace: metadata.namespace ?? '', name: volumeSnapshotName } },
              storage: {},
            },
          },
        ]
      : [],
  );
}
