import { readFile } from 'node:fs/promises';
import { isObject } from '@vireo/api/json.ts';
import type { RegistrySettings } from '@vireo/oci';

/** What the owner of a home says about one registry in `<home>/registries.json`. */
interface RegistryEntry {
  readonly plainHttp?: boolean;
  readonly insecureSkipVerify?: boolean;
  readonly caFile?: string;
  readonly mirrors?: readonly string[];
}

/**
 * Reads the settings of a registry: `{"registries": {"registry.example:5000": {"caFile": "/etc/ssl/mine.pem"}}}`. The
 * file is read for every pull, so that a change needs no restart. Objects of the API cannot change it: it says whom
 * this host trusts.
 */
export async function registrySettings(file: string, registry: string): Promise<RegistrySettings> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw error;
  });
  const entry = entryOf(text, file, registry);
  if (!entry) return {};
  const { plainHttp, insecureSkipVerify, caFile, mirrors } = entry;
  return {
    ...(plainHttp && { isPlainHttp: true }),
    ...(insecureSkipVerify && { isInsecure: true }),
    ...(caFile && { ca: await readFile(caFile, 'utf8') }),
    ...(mirrors && { mirrors }),
  };
}

const TYPES: Readonly<Record<keyof RegistryEntry, (value: unknown) => boolean>> = {
  plainHttp: (value) => typeof value === 'boolean',
  insecureSkipVerify: (value) => typeof value === 'boolean',
  caFile: (value) => typeof value === 'string',
  mirrors: (value) => Array.isArray(value) && value.every(isWebAddress),
};

const isWebAddress = (value: unknown): boolean =>
  typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);

function entryOf(text: string, file: string, registry: string): RegistryEntry | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new Error(`${file} is not valid JSON: ${(error as Error).message}`, { cause: error });
  }
  const registries = isObject(parsed) ? (parsed.registries ?? {}) : undefined;
  if (!isObject(registries)) throw new Error(`${file}: "registries" must be an object`);
  const entry = registries[registry];
  if (entry === undefined) return undefined;
  const where = `${file}: registries[${JSON.stringify(registry)}]`;
  if (!isObject(entry)) throw new Error(`${where} must be an object`);
  for (const [key, value] of Object.entries(entry)) {
    const isRight = Object.hasOwn(TYPES, key) ? TYPES[key as keyof RegistryEntry] : undefined;
    if (!isRight) throw new Error(`${where}.${key} is unknown; known keys: ${Object.keys(TYPES).join(', ')}`);
    if (!isRight(value)) throw new Error(`${where}.${key} cannot be ${JSON.stringify(value)}`);
  }
  return entry;
}
