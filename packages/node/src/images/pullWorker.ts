import { parentPort, workerData } from 'node:worker_threads';
import {
  extractDisk,
  extractFile,
  isOciError,
  openLocalImage,
  type Progress,
  parseReference,
  RegistryImage,
} from '@vireo/oci';
import type { PullMessage, PullRequest } from './pullProtocol.ts';

/** How often it reports its progress. */
const PROGRESS_MS = 500;

if (parentPort === null) throw new Error('pullWorker.ts is a worker thread: use pullThread.ts');
const port = parentPort;
const post = (word: PullMessage): void => port.postMessage(word);

async function pull({ from, architecture, destination, path, limitBytes, isDisk }: PullRequest): Promise<void> {
  const source =
    from.kind === 'registry'
      ? new RegistryImage(parseReference(from.reference), from)
      : await openLocalImage(from.path, from.name);
  let toldAtMs = 0;
  try {
    const onProgress = (progress: Progress): void => {
      if (performance.now() - toldAtMs < PROGRESS_MS) return;
      toldAtMs = performance.now();
      post({ kind: 'progress', progress });
    };
    const options = { architecture, destination, limitBytes, onProgress };
    const file = isDisk
      ? await extractDisk(source, { ...options, path })
      : await extractFile(source, { ...options, path: path ?? '' });
    post({ kind: 'done', file });
  } finally {
    await source.close();
  }
}

pull(workerData as PullRequest).catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  post({ kind: 'failed', message, ...(isOciError(error) && { code: error.code }) });
});
