import { ConfigMap } from '@vireo/api';
import { type Client, type Clock, Informer, type Log } from '@vireo/kube';

const NAMESPACE = 'kube-system';
const NAME = 'extension-apiserver-authentication';
const KEY = 'client-ca-file';

/** The authority that signs the cluster's clients, as long as `signal` lasts; `onChange` hears of each new one. */
export async function followClientAuthority(
  client: Client,
  onChange: (caPem: string) => void,
  { log, clock }: { readonly log: Log; readonly clock?: Clock },
  signal: AbortSignal,
): Promise<void> {
  let last: string | undefined;
  const maps = new Informer(client.of(ConfigMap), {
    namespace: NAMESPACE,
    fieldSelector: `metadata.name=${NAME}`,
    log,
    ...(clock && { clock }),
  });
  const look = ({ data }: ConfigMap): void => {
    const caPem = data?.[KEY];
    // Without it the last one holds: a mistake must not shut the cluster out.
    if (!caPem || caPem === last) return;
    last = caPem;
    onChange(caPem);
  };
  maps.on({ added: look, updated: (_, map) => look(map) });
  maps.start(signal);
  await maps.whenSynced();
  if (last === undefined)
    log.warn(`the cluster publishes no ${KEY}: only bearer tokens are accepted`, {
      kind: ConfigMap.kind,
      namespace: NAMESPACE,
      name: NAME,
    });
}
