import { setTimeout } from 'node:timers/promises';
import { CDIConfig } from '@vireo/api/kinds/cdi/cdiConfig.ts';
import type { Client } from '@vireo/kube';

const EVERY_MS = 2;

/** Asks the server for a small object again and again until it is over; the milliseconds of each answer. */
export async function answersDuring(client: Client, work: Promise<unknown>): Promise<number[]> {
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  over.catch(() => {});
  const times: number[] = [];
  while (!isOver) {
    const startedAt = performance.now();
    await client.of(CDIConfig).get('config');
    times.push(performance.now() - startedAt);
    await setTimeout(EVERY_MS);
  }
  await over;
  return times;
}
