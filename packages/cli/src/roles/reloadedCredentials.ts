import { type Clock, type CredentialSource, systemClock } from '@vireo/kube';

const RELOAD_MS = 60_000;

/** Credentials that somebody else keeps fresh in files, such as those of a kubelet: read anew now and then. */
export function reloadedCredentials(
  load: () => Promise<CredentialSource | undefined>,
  clock: Clock = systemClock,
): CredentialSource {
  let read: { readonly at: number; readonly source: CredentialSource | undefined } | undefined;
  return {
    async get() {
      if (!read || clock.now() - read.at >= RELOAD_MS) read = { at: clock.now(), source: await load() };
      return (await read.source?.get()) ?? {};
    },
    reject() {
      read?.source?.reject();
      read = undefined;
    },
  };
}
