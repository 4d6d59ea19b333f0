import type { PersistentVolumeClaim } from '@vireo/api';
import { IMAGE_ID, VOLUME_CLAIM_TEMPLATES } from '@vireo/api/kinds/harvester/names.ts';
import type { TemplateVersionVm } from '@vireo/api/kinds/harvester/virtualMachineTemplateVersion.ts';
import type { VirtualMachineInstanceSpec } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceSpec.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { claimNameOf, type Volume } from '@vireo/api/kinds/kubevirt/volume.ts';
import { nameOfPart } from './names.ts';

/** A disk whose data is kept with a version of a template. */
export interface KeptDisk {
  readonly image: string;
  readonly claim: PersistentVolumeClaim;
}

/** A VM as a version of a template keeps it, and what has to be made beside the version. */
export interface KeptVm {
  readonly vm: TemplateVersionVm;
  /** Secrets to be copied: the name of the copy, by that of the original. Several copies may be of one. */
  readonly secrets: readonly { readonly from: string; readonly to: string }[];
  readonly disks: readonly KeptDisk[];
}

/**
 * What a version keeps of a VM: all but what only one VM may have. `claims`: those of its disks whose data is kept, by
 * name; without them the version names the claims that the VM has.
 */
export function keptVm(vm: Vm, version: string, claims?: ReadonlyMap<string, PersistentVolumeClaim>): KeptVm {
  const secrets: { from: string; to: string }[] = [];
  const copyOf = (from: string, ...parts: string[]): string => {
    const to = nameOfPart(version, ...parts);
    secrets.push({ from, to });
    return to;
  };
  const { labels, annotations = {}, name } = vm.metadata;
  const { template, dataVolumeTemplates, ...rest } = vm.spec;
  const disks = claims ? keptDisks(template.spec?.volumes ?? [], version, claims) : [];
  const inner = template.spec && {
    ...withoutIdentity(template.spec),
    ...withCopiedSecrets(template.spec, copyOf),
  };
  const volumes = inner?.volumes?.map((volume) => withKeptDisk(volume, disks));
  const stays = dataVolumeTemplates?.filter(
    (each) => !disks.some(({ claim }) => claim.metadata.name === each.metadata?.name),
  );
  return {
    vm: {
      metadata: {
        name,
        ...(labels && { labels }),
        annotations: withoutServers({
          ...annotations,
          ...(claims && { [VOLUME_CLAIM_TEMPLATES]: JSON.stringify(disks.map(claimTemplate(vm))) }),
        }),
      },
      spec: {
        ...rest,
        ...(stays && stays.length > 0 && { dataVolumeTemplates: stays }),
        template: { ...template, ...(inner && { spec: { ...inner, ...(volumes && { volumes }) } }) },
      },
    },
    secrets,
    disks,
  };
}

type Kept = KeptDisk & { readonly volume: string; readonly claimName: string };

function keptDisks(
  volumes: readonly Volume[],
  version: string,
  claims: ReadonlyMap<string, PersistentVolumeClaim>,
): Kept[] {
  return volumes.flatMap((volume, index) => {
    const claim = claims.get(claimNameOf(volume) ?? '');
    return claim
      ? [
          {
            volume: volume.name,
            claim,
            image: nameOfPart(version, `image-${index}`),
            claimName: nameOfPart(version, `disk-${index}`),
          },
        ]
      : [];
  });
}

function withKeptDisk(volume: Volume, disks: readonly KeptDisk[]): Volume {
  const disk = (disks as readonly Kept[]).find((each) => each.volume === volume.name);
  if (!disk) return volume;
  const { persistentVolumeClaim, dataVolume, ...rest } = volume;
  const hotpluggable = persistentVolumeClaim?.hotpluggable ?? dataVolume?.hotpluggable;
  return {
    ...rest,
    persistentVolumeClaim: { claimName: disk.claimName, ...(hotpluggable !== undefined && { hotpluggable }) },
  };
}

const claimTemplate =
  ({ metadata }: Vm) =>
  (disk: KeptDisk): object => {
    const { claimName, claim, image } = disk as Kept;
    const { accessModes, resources, volumeMode, storageClassName } = claim.spec ?? {};
    return {
      metadata: { name: claimName, annotations: { [IMAGE_ID]: `${metadata.namespace}/${image}` } },
      spec: { accessModes, resources, volumeMode, storageClassName },
    };
  };

/** MAC addresses, and what firmware tells of the machine. */
function withoutIdentity(spec: VirtualMachineInstanceSpec): VirtualMachineInstanceSpec {
  const { firmware, devices, ...domain } = spec.domain;
  const { uuid: _uuid, serial: _serial, ...kept } = firmware ?? {};
  return {
    ...spec,
    domain: {
      ...domain,
      ...(firmware && Object.keys(kept).length > 0 && { firmware: kept }),
      devices: {
        ...devices,
        ...(devices?.interfaces && {
          interfaces: devices.interfaces.map(({ macAddress: _mac, ...card }) => card),
        }),
      },
    },
  };
}

type CopyOf = (from: string, ...parts: string[]) => string;

function withCopiedSecrets(
  { accessCredentials, volumes }: VirtualMachineInstanceSpec,
  copyOf: CopyOf,
): Pick<VirtualMachineInstanceSpec, 'accessCredentials' | 'volumes'> {
  return {
    ...(accessCredentials && {
      accessCredentials: accessCredentials.map(({ sshPublicKey, userPassword, ...rest }, index) => ({
        ...rest,
        ...(sshPublicKey && { sshPublicKey: withSecret(sshPublicKey, `credential-${index}`, 'sshpublickey', copyOf) }),
        ...(userPassword && { userPassword: withSecret(userPassword, `credential-${index}`, 'userpassword', copyOf) }),
      })),
    }),
    ...(volumes && { volumes: volumes.map((volume) => withCloudInit(volume, copyOf)) }),
  };
}

function withSecret<T extends { source: { secret?: { secretName: string } } }>(
  credential: T,
  index: string,
  what: string,
  copyOf: CopyOf,
): T {
  const { secret } = credential.source;
  if (!secret) return credential;
  return { ...credential, source: { secret: { ...secret, secretName: copyOf(secret.secretName, index, what) } } };
}

type CloudInit = NonNullable<Volume['cloudInitNoCloud']>;

function withCloudInit(volume: Volume, copyOf: CopyOf): Volume {
  const renamed = (source: CloudInit): CloudInit => ({
    ...source,
    ...(source.secretRef?.name && { secretRef: { name: copyOf(source.secretRef.name, volume.name, 'userdata') } }),
    ...(source.networkDataSecretRef?.name && {
      networkDataSecretRef: { name: copyOf(source.networkDataSecretRef.name, volume.name, 'networkdata') },
    }),
  });
  return {
    ...volume,
    ...(volume.cloudInitNoCloud && { cloudInitNoCloud: renamed(volume.cloudInitNoCloud) }),
    ...(volume.cloudInitConfigDrive && { cloudInitConfigDrive: renamed(volume.cloudInitConfigDrive) }),
  };
}

/** What kubectl has noted about the VM itself is not for VMs that are made from it. */
const withoutServers = ({
  'kubectl.kubernetes.io/last-applied-configuration': _applied,
  ...annotations
}: Record<string, string>): Record<string, string> => annotations;
