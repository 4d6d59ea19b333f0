import { flagError } from './params.ts';

/** A manifest's part that is still being put together. */
export interface VmDraft {
  readonly name: string;
  readonly volumes: DraftVolume[];
  readonly dataVolumeTemplates: DataVolumeTemplate[];
  /** By boot order. */
  readonly bootOrders: Map<number, string>;
}

export interface DraftVolume {
  readonly name: string;
  readonly [source: string]: unknown;
}

export interface DataVolumeTemplate {
  readonly metadata: { readonly name: string };
  readonly spec: Readonly<Record<string, unknown>>;
}

/** Adds a volume; names must differ, and a boot order can be given once. */
export function addVolume(draft: VmDraft, flag: string, volume: DraftVolume, bootOrder?: number): void {
  if (draft.volumes.some(({ name }) => name === volume.name))
    throw flagError(flag, `there is already a volume with name '${volume.name}'`);
  draft.volumes.push(volume);
  if (bootOrder === undefined) return;
  if (bootOrder === 0) throw flagError(flag, 'bootorder must be greater than 0');
  if (draft.bootOrders.has(bootOrder)) throw flagError(flag, `bootorder ${bootOrder} was specified multiple times`);
  draft.bootOrders.set(bootOrder, volume.name);
}
