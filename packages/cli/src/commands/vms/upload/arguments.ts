import { parseQuantity } from '@vireo/api/quantity.ts';
import { Failure } from '../../../failure.ts';

export interface UploadOptions {
  readonly imagePath?: string;
  readonly archivePath?: string;
  readonly size?: string;
  readonly storageClass?: string;
  readonly accessMode?: string;
  readonly volumeMode?: string;
  /** `--no-create` sets it to false. */
  readonly create?: boolean;
  readonly uploadproxyUrl?: string;
  readonly insecure?: boolean;
  readonly waitSecs: number;
  readonly retry: number;
  readonly forceBind?: boolean;
  readonly datasource?: boolean;
  readonly defaultInstancetype?: string;
  readonly defaultInstancetypeKind?: string;
  readonly defaultPreference?: string;
  readonly defaultPreferenceKind?: string;
  /** Of older virtctls. */
  readonly pvcName?: string;
  readonly pvcSize?: string;
  readonly blockVolume?: boolean;
}

/** What is to be uploaded, and where to. */
export interface Upload {
  readonly resource: 'dv' | 'pvc';
  readonly name: string;
  readonly file: string;
  readonly isArchive: boolean;
  readonly size?: string;
  readonly storageClass?: string;
  readonly accessMode?: string;
  readonly volumeMode?: 'block' | 'filesystem';
  readonly mayCreate: boolean;
  readonly forceBind: boolean;
  readonly datasource: boolean;
  /** Of what is created: which instancetype and preference belong to the image. */
  readonly labels: Readonly<Record<string, string>>;
}

const IMAGE_HINT = 'Set a disk image: --image-path FILE';

/** Reads arguments and options together; contradictions are refused in virtctl's words. */
export function readUpload(type: string | undefined, name: string | undefined, options: UploadOptions): Upload {
  const { imagePath, archivePath, create = true } = options;
  const file = imagePath || archivePath;
  if (!file) throw new Failure('either image-path or archive-path must be provided', IMAGE_HINT);
  if (imagePath && archivePath) throw new Failure('cannot handle both image-path and archive-path, provide only one');
  const target = targetOf(type, name, options);
  const volumeMode = volumeModeOf(options);
  if (archivePath && volumeMode === 'block')
    throw new Failure('In archive upload the volume mode should always be filesystem');
  checkDefaults(options);
  const size = sizeOf(options);
  return {
    ...target,
    file,
    isArchive: archivePath !== undefined,
    mayCreate: create,
    forceBind: options.forceBind ?? false,
    datasource: options.datasource ?? false,
    labels: labelsOf(options),
    ...(size && { size }),
    ...(volumeMode && { volumeMode }),
    ...(options.storageClass && { storageClass: options.storageClass }),
    ...(options.accessMode && { accessMode: options.accessMode }),
  };
}

function targetOf(type: string | undefined, name: string | undefined, { pvcName }: UploadOptions) {
  if (pvcName) {
    if (type !== undefined) throw new Failure('cannot use --pvc-name and args');
    return { resource: 'pvc', name: pvcName } as const;
  }
  if (type === undefined || name === undefined)
    throw new Failure('expecting two args', 'For example: image-upload dv NAME --size 10Gi --image-path FILE');
  const resource = type.toLowerCase();
  if (resource !== 'dv' && resource !== 'pvc') throw new Failure(`invalid resource type ${type}`, 'Use dv or pvc.');
  return { resource, name } as const;
}

function sizeOf({ size, pvcSize }: UploadOptions): string | undefined {
  if (size && pvcSize && size !== pvcSize)
    throw new Failure('--pvc-size and --size can not be specified at the same time');
  const chosen = size ?? pvcSize;
  if (chosen === undefined) return undefined;
  try {
    parseQuantity(chosen);
  } catch (error) {
    throw new Failure(`validation failed for size=${chosen}: ${error instanceof Error ? error.message : error}`);
  }
  return chosen;
}

function volumeModeOf({ volumeMode, blockVolume }: UploadOptions): 'block' | 'filesystem' | undefined {
  if (blockVolume && volumeMode && volumeMode !== 'block')
    throw new Failure(`incompatible --volume-mode '${volumeMode}' and --block-volume`);
  const mode = blockVolume ? 'block' : volumeMode;
  if (mode === undefined || mode === 'block' || mode === 'filesystem') return mode;
  throw new Failure(`Invalid volume mode '${mode}'. Valid values are 'block' and 'filesystem'.`);
}

function checkDefaults(options: UploadOptions): void {
  if (options.defaultInstancetypeKind && !options.defaultInstancetype)
    throw new Failure('--default-instancetype must be provided with --default-instancetype-kind');
  if (options.defaultPreferenceKind && !options.defaultPreference)
    throw new Failure('--default-preference must be provided with --default-preference-kind');
  if ((options.defaultInstancetype || options.defaultPreference) && options.create === false)
    throw new Failure('--default-instancetype and --default-preference cannot be used with --no-create');
  if (options.accessMode === 'ReadOnlyMany')
    throw new Failure('cannot upload to a readonly volume, use either ReadWriteOnce or ReadWriteMany if supported');
}

function labelsOf(options: UploadOptions): Record<string, string> {
  const labels = {
    'instancetype.kubevirt.io/default-instancetype': options.defaultInstancetype,
    'instancetype.kubevirt.io/default-instancetype-kind': options.defaultInstancetypeKind,
    'instancetype.kubevirt.io/default-preference': options.defaultPreference,
    'instancetype.kubevirt.io/default-preference-kind': options.defaultPreferenceKind,
  };
  return Object.fromEntries(Object.entries(labels).filter((entry): entry is [string, string] => Boolean(entry[1])));
}
