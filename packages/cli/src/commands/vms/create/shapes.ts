/** A flag of several parts: `--volume-pvc=src:disk,bootorder:1`. What may stand in it, and of which type. */
export type Shape = Readonly<Record<string, ParamType>>;

/** How a part is written. */
export type ParamType = keyof ParamValues;

/** What a part of a type is read as. */
export interface ParamValues {
  string: string;
  uint: number;
  'resource.Quantity': string;
  '[]string': readonly string[];
}

/** The parts that a flag takes, for its help. */
export const supported = (shape: Shape): string =>
  Object.entries(shape)
    .map(([name, type]) => `${name}:${type}`)
    .join(',');

/** A container disk or a claim. */
export const VOLUME_SHAPE = { name: 'string', src: 'string', bootorder: 'uint' } as const satisfies Shape;
/** Answers for Windows. */
export const SYSPREP_SHAPE = { src: 'string', type: 'string' } as const satisfies Shape;
/** An access credential. */
export const ACCESS_SHAPE = {
  type: 'string',
  src: 'string',
  method: 'string',
  user: 'string',
} as const satisfies Shape;
/** A device to pass through. */
export const DEVICE_SHAPE = { name: 'string', devicename: 'string' } as const satisfies Shape;

/** What every imported volume takes. */
export const COMMON_SHAPE = { size: 'resource.Quantity', type: 'string', name: 'string', bootorder: 'uint' } as const;
const fromUrl = { certconfigmap: 'string', secretref: 'string', url: 'string', ...COMMON_SHAPE } as const;
const fromObject = { src: 'string', ...COMMON_SHAPE } as const;

/** What an imported volume may be made from, and what each takes. */
export const IMPORT_SHAPES = {
  blank: COMMON_SHAPE,
  gcs: { secretref: 'string', url: 'string', ...COMMON_SHAPE },
  http: { extraheaders: '[]string', secretextraheaders: '[]string', ...fromUrl },
  imageio: { diskid: 'string', ...fromUrl },
  pvc: fromObject,
  registry: { imagestream: 'string', pullmethod: 'string', ...fromUrl },
  s3: fromUrl,
  vddk: {
    backingfile: 'string',
    initimageurl: 'string',
    secretref: 'string',
    thumbprint: 'string',
    url: 'string',
    uuid: 'string',
    ...COMMON_SHAPE,
  },
  snapshot: fromObject,
  ds: fromObject,
} as const satisfies Readonly<Record<string, Shape>>;
