import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { isFinal, sharedVolumes } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { claimNameOf, isHotpluggable, type Volume } from '@vireo/api/kinds/kubevirt/volume.ts';
import { type Informer, keyOf } from '@vireo/kube';

/** The claims whose disks a VMI uses, by `namespace/name`, and whether it may write to them. */
export function claimsOf(vmi: Vmi): { key: string; isReadOnly: boolean }[] {
  const { metadata, spec, status } = vmi;
  const shared = sharedVolumes(vmi);
  const isDrive = (of: string): boolean =>
    spec.domain.devices?.disks?.some(({ name, cdrom }) => name === of && cdrom) ?? false;
  const named = (spec.volumes ?? []).flatMap((volume) => {
    const { persistentVolumeClaim, ephemeral } = volume;
    // The files of a volume are beside its disk, and several may have them.
    if (shared.includes(volume)) return [];
    const name = claimNameOf(volume) ?? ephemeral?.persistentVolumeClaim?.claimName;
    const isReadOnly = (persistentVolumeClaim?.readOnly ?? false) || ephemeral !== undefined || isDrive(volume.name);
    return name ? [{ key: `${metadata.namespace}/${name}`, isReadOnly }] : [];
  });
  // What is being unplugged is the guest's until it is out.
  const leaving = (status?.volumeStatus ?? [])
    .filter(({ hotplugVolume, target }) => hotplugVolume && target)
    .map(({ name, persistentVolumeClaimInfo: info }) => ({
      key: `${metadata.namespace}/${info?.claimName}`,
      isReadOnly: isDrive(name),
    }));
  // A volume that moves to another claim is on both until it has.
  const sources = (status?.migratedVolumes ?? []).flatMap(({ sourcePVCInfo }) =>
    sourcePVCInfo?.claimName ? [{ key: `${metadata.namespace}/${sourcePVCInfo.claimName}`, isReadOnly: false }] : [],
  );
  leaving.push(...sources);
  return [...named, ...leaving.filter(({ key }) => !named.some((each) => each.key === key))];
}

/** All claims that a VMI has to do with: those of its disks, and the one that its firmware's state is on. */
export const claimIndex = (vmi: Vmi): string[] => {
  const { metadata, status } = vmi;
  const volumes = (status?.volumeStatus ?? []).flatMap(({ persistentVolumeClaimInfo: info }) => info?.claimName ?? []);
  const shared = sharedVolumes(vmi).flatMap((volume) => claimNameOf(volume) ?? []);
  return [
    ...new Set([
      ...claimsOf(vmi).map(({ key }) => key),
      ...[...volumes, ...shared].map((name) => `${metadata.namespace}/${name}`),
    ]),
  ];
};

const isOn = ({ metadata }: Vmi, volume: Volume, claim: string): boolean =>
  `${metadata.namespace}/${claimNameOf(volume)}` === claim;

/** Whether a guest that runs has a claim open: what is plugged in later may wait for it still. */
function hasOpen({ metadata, spec, status }: Vmi, claim: string): boolean {
  const isNamed = (name: string | undefined): boolean => `${metadata.namespace}/${name}` === claim;
  const isFixed = (spec.volumes ?? []).some(
    (volume) =>
      isNamed(volume.ephemeral?.persistentVolumeClaim?.claimName) ||
      (isNamed(claimNameOf(volume)) && !isHotpluggable(volume)),
  );
  const volumes = status?.volumeStatus ?? [];
  if ((status?.migratedVolumes ?? []).some(({ sourcePVCInfo }) => isNamed(sourcePVCInfo?.claimName))) return true;
  return isFixed || volumes.some((each) => each.target && isNamed(each.persistentVolumeClaimInfo?.claimName));
}

/** Whether the guest of a VMI was started, as its status says. */
const hasStarted = ({ status }: Vmi): boolean =>
  !['', 'Pending', 'Scheduling', 'Scheduled'].includes(status?.phase ?? '');

/** How messages name a VMI: with its node where that is another. */
export const namedVmi = ({ metadata, status }: Vmi, node: string): string => {
  const where = isOnAnotherNode({ status }, node) ? ` on node ${status?.nodeName}` : '';
  return `VirtualMachineInstance ${metadata.name}${where}`;
};

/** Whether a VMI is on a node other than the given one. */
export const isOnAnotherNode = ({ status }: Pick<Vmi, 'status'>, node: string): boolean =>
  status?.nodeName !== undefined && status.nodeName !== node;

/**
 * Which VMIs have which claims on this node. What matters after a restart is what libvirt still runs; in between,
 * who asked first.
 */
export class ClaimUsers {
  readonly #vmis: Informer<VirtualMachineInstance>;
  /** Whether libvirt knows a domain of that uid. */
  readonly #hasDomain: (uid: string) => boolean;
  /** The writer of each claim, by uid. */
  readonly #writers = new Map<string, string>();

  /** This node's name. */
  readonly #node: string;

  /** The informer needs the index `claim`: `claimIndex`. */
  constructor(vmis: Informer<VirtualMachineInstance>, hasDomain: (uid: string) => boolean, node: string) {
    this.#vmis = vmis;
    this.#hasDomain = hasDomain;
    this.#node = node;
  }

  /** Whether the guest of a VMI may run, here or, as far as its status tells, on another node. */
  #hasGuest(vmi: Vmi): boolean {
    return this.#hasDomain(vmi.metadata.uid) || (isOnAnotherNode(vmi, this.#node) && !isFinal(vmi) && hasStarted(vmi));
  }

  /**
   * A VMI of another node that is about to start and comes before the given one: of two that cannot have a disk together,
   * each node has to let the same one begin.
   */
  firstElsewhere(claim: string, vmi: Vmi, isReadOnly: boolean): Vmi | undefined {
    const ageOf = ({ metadata }: Vmi): string => `${metadata.creationTimestamp} ${metadata.uid}`;
    return this.#vmis.byIndex('claim', claim).find((other) => {
      if (other.metadata.uid === vmi.metadata.uid || !isOnAnotherNode(other, this.#node) || isFinal(other))
        return false;
      const conflicts = claimsOf(other).some((each) => each.key === claim && !(isReadOnly && each.isReadOnly));
      return conflicts && (hasStarted(other) || ageOf(other) < ageOf(vmi));
    });
  }

  /** Makes a VMI the writer of a claim, unless another is: that one is the answer. */
  take(claim: string, vmi: Vmi): Vmi | undefined {
    const other = this.writer(claim, vmi.metadata.uid);
    if (!other) this.#writers.set(claim, vmi.metadata.uid);
    return other;
  }

  /** The VMI that writes to a claim, other than the given one. */
  writer(claim: string, except?: string): Vmi | undefined {
    return this.#vmis.byIndex('claim', claim).find((vmi) => {
      const { uid } = vmi.metadata;
      if (uid === except || !claimsOf(vmi).some(({ key, isReadOnly }) => key === claim && !isReadOnly)) return false;
      return this.#hasGuest(vmi) || (this.#writers.get(claim) === uid && !isFinal(vmi));
    });
  }

  /**
   * A VMI other than the given one whose guest has the disk of a claim open in a way that QEMU's locks do not let
   * go together: one of the two writes.
   */
  holder(claim: string, vmi: Vmi, isReadOnly: boolean): Vmi | undefined {
    return this.#vmis.byIndex('claim', claim).find((other) => {
      if (other.metadata.uid === vmi.metadata.uid || !this.#hasGuest(other)) return false;
      return (
        claimsOf(other).some((each) => each.key === claim && !(isReadOnly && each.isReadOnly)) && hasOpen(other, claim)
      );
    });
  }

  /** Any VMI whose guest may have the disk of a claim open. */
  user(claim: string): Vmi | undefined {
    return (
      this.#vmis.byIndex('claim', claim).find(({ metadata }) => this.#hasDomain(metadata.uid)) ?? this.writer(claim)
    );
  }

  /** The VMIs whose guests share the files of a claim. */
  sharers(claim: string): Vmi[] {
    return this.#vmis
      .byIndex('claim', claim)
      .filter((vmi) => this.#hasDomain(vmi.metadata.uid) && sharedVolumes(vmi).some((each) => isOn(vmi, each, claim)));
  }

  /** The VMIs that name a claim. */
  keys(claim: string): string[] {
    return this.#vmis.byIndex('claim', claim).map(keyOf);
  }
}
