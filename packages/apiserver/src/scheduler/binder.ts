import type { Persisted } from '@vireo/api';
import { PersistentVolumeClaim } from '@vireo/api/kinds/core/persistentVolumeClaim.ts';
import { Pod } from '@vireo/api/kinds/core/pod.ts';
import { SELECTED_NODE } from '@vireo/api/kinds/core/volumeNames.ts';
import { type Client, type Informer, keyOf } from '@vireo/kube';

const VOLUMES_TIMEOUT_MS = 600_000;

/** Carries out a decision: tells late claims their node, waits until they are bound, binds the pod. */
export class Binder {
  readonly #client: Client;
  readonly #claims: Informer<PersistentVolumeClaim>;

  constructor(client: Client, claims: Informer<PersistentVolumeClaim>) {
    this.#client = client;
    this.#claims = claims;
  }

  async bind(
    pod: Persisted<Pod>,
    nodeName: string,
    lateClaims: readonly Persisted<PersistentVolumeClaim>[],
    signal: AbortSignal,
  ): Promise<void> {
    const { name, namespace, uid } = pod.metadata;
    for (const claim of lateClaims) await this.#selectNode(claim, nodeName);
    if (lateClaims.length > 0) await this.#whenBound(lateClaims.map(keyOf), nodeName, signal);
    await this.#client.of(Pod).createSubresource(
      name,
      'binding',
      {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name, namespace, uid },
        target: { apiVersion: 'v1', kind: 'Node', name: nodeName },
      },
      { namespace, signal },
    );
  }

  async #selectNode(claim: Persisted<PersistentVolumeClaim>, nodeName: string): Promise<void> {
    if (claim.metadata.annotations?.[SELECTED_NODE] === nodeName) return;
    const patch = { metadata: { annotations: { [SELECTED_NODE]: nodeName } } };
    await this.#client.of(PersistentVolumeClaim).patchExactly(claim, patch);
  }

  /** Resolves when every claim has its volume; rejects when one goes away, cannot be on the node, or takes too long. */
  #whenBound(keys: readonly string[], nodeName: string, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const seen = new Set<string>();
    const check = () => {
      const claims = keys.map((key) => this.#claims.get(key));
      const moved = claims.findIndex((claim) => {
        const selected = claim?.metadata.annotations?.[SELECTED_NODE];
        if (selected !== undefined) seen.add(claim?.metadata.uid ?? '');
        // The cache may not show yet what was written.
        return claim && !claim.spec?.volumeName && selected !== nodeName && seen.has(claim.metadata.uid);
      });
      if (moved >= 0)
        return reject(new Error(`persistentvolumeclaim "${keys[moved]}" cannot have its volume on node ${nodeName}`));
      const gone = claims.indexOf(undefined);
      if (gone >= 0)
        reject(new Error(`persistentvolumeclaim "${keys[gone]}" was deleted while waiting for its volume`));
      else if (claims.every((claim) => claim?.spec?.volumeName)) resolve();
    };
    const stop = this.#claims.on({ added: check, updated: check, deleted: check });
    const limit = AbortSignal.any([signal, AbortSignal.timeout(VOLUMES_TIMEOUT_MS)]);
    const onAbort = () => reject(new Error(`binding volumes: timed out waiting for ${keys.join(', ')}`));
    limit.addEventListener('abort', onAbort, { once: true });
    check();
    return promise.finally(() => {
      stop();
      limit.removeEventListener('abort', onAbort);
    });
  }
}
