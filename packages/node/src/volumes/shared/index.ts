import { Node, type StorageClass } from '@vireo/api';
import type { SharedReport } from '@vireo/api/kinds/core/sharedDirectories.ts';
import { SHARED_DIRECTORY, SHARED_ID, SHARED_PROVISIONER, SHARED_REPORT } from '@vireo/api/kinds/core/volumeNames.ts';
import { type Client, type Clock, type Informer, type Log, pause } from '@vireo/kube';
import type { VolumeStores } from '../stores.ts';
import { SharedDirectory } from './directory.ts';

/** How often directories are looked at: while something changes, and then. */
const EAGER_MS = 2_000;
const CALM_MS = 30_000;
const EAGER_LOOKS = 15;

/** What keeps an eye on the directories of classes. */
export interface SharedDirectories {
  /** The directories of classes that are known here. */
  roots(): readonly string[];
  readonly ended: Promise<void>;
}

/** Looks at the directories of classes that share one, and reports on the Node what it finds. */
export function watchSharedDirectories(
  parts: {
    /** May write the Node. */
    readonly kubelet: Client;
    readonly classes: Informer<StorageClass>;
    readonly stores: Pick<VolumeStores, 'clearLeftovers'>;
    readonly node: string;
    readonly clock: Clock;
    readonly log: Log;
  },
  signal: AbortSignal,
): SharedDirectories {
  const { kubelet, classes, stores, node, clock, log } = parts;
  const directories = new Map<string, SharedDirectory>();
  let reported: string | undefined;
  let woken = new AbortController();
  let looksLeft = EAGER_LOOKS;
  const wake = (): void => {
    looksLeft = EAGER_LOOKS;
    woken.abort();
  };
  const shared = () =>
    classes.list().flatMap(({ metadata, provisioner, parameters }) => {
      const path = parameters?.[SHARED_DIRECTORY];
      if (provisioner !== SHARED_PROVISIONER || !path?.startsWith('/')) return [];
      return [{ name: metadata.name, path, knownId: metadata.annotations?.[SHARED_ID] }];
    });
  const onClass = ({ provisioner }: StorageClass): void => {
    if (provisioner === SHARED_PROVISIONER) wake();
  };
  classes.on({ added: onClass, updated: (_, storageClass) => onClass(storageClass), deleted: onClass });

  async function look(): Promise<void> {
    const wanted = shared();
    for (const [path, directory] of directories) {
      if (wanted.some((each) => each.path === path)) continue;
      directory.close();
      directories.delete(path);
    }
    const reports: Record<string, SharedReport> = {};
    for (const { name, path, knownId } of wanted) {
      const directory = directories.get(path) ?? new SharedDirectory(path, node);
      directories.set(path, directory);
      const report = await directory.look(knownId);
      if ('id' in report) await stores.clearLeftovers(path);
      reports[name] = report;
    }
    const text = wanted.length > 0 ? JSON.stringify(reports) : undefined;
    if (text === reported) return;
    await kubelet
      .of(Node)
      .patch(node, { metadata: { annotations: { [SHARED_REPORT]: text ?? null } } }, { type: 'merge' });
    reported = text;
    looksLeft = EAGER_LOOKS;
  }

  async function keepLooking(): Promise<void> {
    while (!signal.aborted) {
      woken = new AbortController();
      try {
        await look();
      } catch (error) {
        if (!signal.aborted)
          log.warn('cannot report on shared directories', { kind: Node.kind, name: node }, { error });
      }
      looksLeft -= 1;
      const waitMs = directories.size > 0 && looksLeft > 0 ? EAGER_MS : CALM_MS;
      await pause(waitMs, AbortSignal.any([signal, woken.signal]), clock).catch(() => {});
    }
    for (const directory of directories.values()) directory.close();
  }

  return { roots: () => shared().map(({ path }) => path), ended: keepLooking() };
}
