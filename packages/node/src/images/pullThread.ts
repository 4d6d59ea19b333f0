import { Worker } from 'node:worker_threads';
import { OciError, type Progress } from '@vireo/oci';
import type { PulledImageFile, PullMessage, PullRequest } from './pullProtocol.ts';

/** Pulls in a thread of its own: checking gigabytes must not hold up those who wait for the API. */
export function pullInThread(
  request: PullRequest,
  onProgress: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<PulledImageFile> {
  signal.throwIfAborted();
  const worker = new Worker(new URL('./pullWorker.ts', import.meta.url), { workerData: request });
  const stop = (): void => void worker.terminate();
  signal.addEventListener('abort', stop, { once: true });
  return new Promise<PulledImageFile>((resolve, reject) => {
    worker.on('message', (word: PullMessage) => {
      if (word.kind === 'progress') onProgress(word.progress);
      else if (word.kind === 'done') resolve(word.file);
      else reject(word.code ? new OciError(word.code, word.message) : new Error(word.message));
    });
    worker.once('error', reject);
    worker.once('exit', () =>
      reject(signal.aborted ? signal.reason : new Error('the image pull ended without a result')),
    );
  }).finally(() => signal.removeEventListener('abort', stop));
}
