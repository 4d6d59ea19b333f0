import { type ImportedVolume, readImport } from './importSources.ts';
import { randomSuffix } from './manifest.ts';
import { flagError, readParams, splitPrefixed } from './params.ts';
import { SYSPREP_SHAPE, VOLUME_SHAPE } from './shapes.ts';
import { addVolume, type VmDraft } from './vmDraft.ts';

export interface VolumeOptions {
  readonly volumeContainerdisk?: readonly string[];
  readonly volumePvc?: readonly string[];
  readonly volumeImport?: readonly string[];
  readonly volumeSysprep?: string;
  /** Of older virtctls; the same as an import of type ds, pvc or blank. */
  readonly volumeDatasource?: readonly string[];
  readonly volumeClonePvc?: readonly string[];
  readonly volumeBlank?: readonly string[];
}

/** Adds the volumes in the order in which they boot unless told otherwise. */
export function addVolumes(draft: VmDraft, options: VolumeOptions): void {
  for (const [index, text] of (options.volumeContainerdisk ?? []).entries()) addContainerDisk(draft, text, index);
  for (const text of options.volumePvc ?? []) addClaim(draft, text);
  for (const text of imports(options)) addImport(draft, readImport(text));
  if (options.volumeSysprep !== undefined) addSysprep(draft, options.volumeSysprep);
}

function imports({ volumeImport = [], ...older }: VolumeOptions): readonly string[] {
  const deprecated = [
    ['volume-datasource', 'ds', older.volumeDatasource],
    ['volume-clone-pvc', 'pvc', older.volumeClonePvc],
    ['volume-blank', 'blank', older.volumeBlank],
  ] as const;
  const renamed = deprecated.flatMap(([flag, type, texts]) => {
    if (!texts) return [];
    console.error(`Flag --${flag} has been deprecated, use flag --volume-import instead`);
    if (texts.includes('')) throw flagError('volume-import', 'params may not be empty');
    return texts.map((text) => `type:${type},${text}`);
  });
  return [...renamed, ...volumeImport];
}

function addContainerDisk(draft: VmDraft, text: string, index: number): void {
  const flag = 'volume-containerdisk';
  const { name = `${draft.name}-containerdisk-${index}`, src, bootorder } = readParams(flag, text, VOLUME_SHAPE);
  if (!src) throw flagError(flag, 'src must be specified');
  addVolume(draft, flag, { name, containerDisk: { image: src } }, bootorder);
}

function addClaim(draft: VmDraft, text: string): void {
  const flag = 'volume-pvc';
  const { name, src, bootorder } = readParams(flag, text, VOLUME_SHAPE);
  const claim = localName(flag, src, 'pvc');
  addVolume(draft, flag, { name: name || claim, persistentVolumeClaim: { claimName: claim } }, bootorder);
}

function addImport(draft: VmDraft, { name = `imported-volume-${randomSuffix()}`, ...volume }: ImportedVolume): void {
  addVolume(draft, 'volume-import', { name, dataVolume: { name } }, volume.bootOrder);
  const storage = volume.size ? { resources: { requests: { storage: volume.size } } } : { resources: {} };
  draft.dataVolumeTemplates.push({ metadata: { name }, spec: { ...volume.source, storage } });
}

function addSysprep(draft: VmDraft, text: string): void {
  const flag = 'volume-sysprep';
  const { src, type = 'configMap' } = readParams(flag, text, SYSPREP_SHAPE);
  const name = localName(flag, src, 'ConfigMap or Secret');
  const kind = ({ configmap: 'configMap', secret: 'secret' } as const)[type.toLowerCase() as 'configmap' | 'secret'];
  if (!kind) throw flagError(flag, `invalid source type "${type}", supported values are: configMap, secret`);
  addVolume(draft, flag, { name: 'sysprepdisk', sysprep: { [kind]: { name } } });
}

/** The name of an object beside the VM: one in another namespace cannot be used. */
export function localName(flag: string, src: string | undefined, what: string): string {
  if (!src) throw flagError(flag, 'src must be specified');
  const { prefix, name } = splitPrefixed(src, (why) => flagError(flag, `src invalid: ${why}`));
  if (prefix) throw flagError(flag, `not allowed to specify namespace of ${what} '${name}'`);
  return name;
}
