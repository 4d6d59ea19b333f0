/** What a server in the background tells the command that started it. */
export type StartMessage = { readonly text: string } | { readonly isReady: true };

/** The command that started this server in the background and waits until it is ready. */
export interface Starter {
  reportReady(): void;
}

/** Set for a server that is started in the background. */
export const DETACHED = 'VIREO_DETACHED';

/**
 * Hands what this process prints to the command that waits for it, and to the log once nobody waits; undefined for a
 * server in the foreground.
 */
export function openStarter(): Starter | undefined {
  if (process.env[DETACHED] === undefined) return undefined;
  // Programs that the server starts have no starter.
  delete process.env[DETACHED];
  const send = (message: StartMessage): void => void (process.connected && process.send?.(message, () => {}));
  process.stdout.write = ((chunk: string | Uint8Array): boolean => {
    const text = chunk.toString();
    if (process.connected) send({ text });
    else process.stderr.write(text);
    return true;
  }) as typeof process.stdout.write;
  return { reportReady: () => send({ isReady: true }) };
}
