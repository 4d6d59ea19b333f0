import { unwatchFile, watchFile } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Log } from '@vireo/kube';
import { ConfigurationInvalid } from '../../configurationInvalid.ts';
import { parseAuthenticationConfiguration } from './config.ts';
import type { Providers } from './providers.ts';

const LOOK_MS = 5_000;

/** Where the AuthenticationConfiguration is. */
export interface ConfigurationFile {
  readonly path: string;
  /** Whether the server must not start without the file. */
  readonly isRequired: boolean;
}

/**
 * Configures providers from a file, now and whenever it changes. A file that is wrong keeps the server from starting; one
 * that becomes wrong later is logged, and the providers stay as they were. Returns what ends the watch.
 */
export async function followConfiguration(
  file: ConfigurationFile,
  providers: Providers,
  ownIssuer: string,
  log: Pick<Log, 'info' | 'error'>,
  lookMs = LOOK_MS,
): Promise<() => void> {
  let known: string | undefined;
  const load = async (): Promise<boolean> => {
    const yaml = await read(file);
    if (yaml === known) return false;
    providers.configure(yaml === undefined ? [] : parseAuthenticationConfiguration(yaml, file.path, ownIssuer));
    known = yaml;
    return true;
  };
  await load();
  const onChange = (): void => {
    load().then(
      (hasChanged) => {
        if (hasChanged) log.info('the authentication configuration was reloaded', undefined, { file: file.path });
      },
      (error: unknown) =>
        log.error('the authentication configuration cannot be reloaded; the previous one stays', undefined, {
          file: file.path,
          error,
        }),
    );
  };
  watchFile(file.path, { interval: lookMs, persistent: false }, onChange);
  return () => unwatchFile(file.path, onChange);
}

async function read({ path, isRequired }: ConfigurationFile): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (!isRequired && (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ConfigurationInvalid(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}
