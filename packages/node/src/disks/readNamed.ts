import { setTimeout as sleep } from 'node:timers/promises';
import { isReason } from '@vireo/api';

const FIRST_PAUSE_MS = 50;
const TRIES = 6;

/**
 * Reads an object that a pod on this node names. The server may tell us of a pod before its authorizer knows of it, so
 * that a refusal counts only if it stays.
 */
export async function readNamed<T>(read: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await read();
    } catch (error) {
      if (!isReason(error, 'Forbidden') || tries === TRIES) throw error;
    }
    await sleep(FIRST_PAUSE_MS * 2 ** (tries - 1));
  }
}
