import type { UnknownObject } from '@vireo/api';
import type { WebhookClient } from '../../webhooks/client.ts';
import type { ClientConfig } from '../../webhooks/clientConfig.ts';
import { ConversionError } from './conversionError.ts';
import { conversionReview, convertedIn, verifiedObject } from './review.ts';

const TIMEOUT_MS = 30_000;
/** How many objects are sent at a time, and how much of their JSON: a list may have any number. */
const BATCH_SIZE = 500;
const BATCH_LENGTH = 4 << 20;
const MAX_BYTES = 32 << 20;

/** The conversion of a definition, where a webhook does it. */
export interface WebhookConversion {
  readonly clientConfig: ClientConfig;
  readonly conversionReviewVersions: readonly string[];
}

/** Converts objects to a version, all of them or none, in their order. Throws ConversionError. */
export type ConvertObjects = (objects: readonly UnknownObject[], apiVersion: string) => Promise<UnknownObject[]>;

/** Lets a webhook convert. Objects are sent as they are; what comes back is one for each, and the same one. */
export const webhookConverter =
  ({ clientConfig, conversionReviewVersions }: WebhookConversion, client: WebhookClient): ConvertObjects =>
  async (objects, apiVersion) => {
    const results: UnknownObject[] = [];
    for (const batch of batchesOf(objects)) results.push(...(await convertBatch(batch, apiVersion)));
    return results;

    async function convertBatch(batch: readonly UnknownObject[], to: string): Promise<UnknownObject[]> {
      const converted = await answerFor(batch, to).catch((error: Error) => {
        throw failure(batch[0] as UnknownObject, `failed: ${error.message}`);
      });
      if (converted.length !== batch.length)
        throw failure(batch[0] as UnknownObject, `returned ${converted.length} objects, expected ${batch.length}`);
      return batch.map((original, index) => {
        try {
          return verifiedObject(original, converted[index], to);
        } catch (error) {
          throw failure(original, (error as Error).message);
        }
      });
    }

    async function answerFor(batch: readonly UnknownObject[], to: string): Promise<unknown[]> {
      const review = conversionReview(conversionReviewVersions, batch, to);
      const limits = { timeoutMs: TIMEOUT_MS, tellsTimeout: true, maxBytes: MAX_BYTES };
      return convertedIn(await client.post(clientConfig, review, limits), review);
    }
  };

function* batchesOf(objects: readonly UnknownObject[]): Iterable<readonly UnknownObject[]> {
  let [start, length] = [0, 0];
  for (const [index, object] of objects.entries()) {
    if (objects.length > 1) length += JSON.stringify(object).length;
    if (index === start || (index - start < BATCH_SIZE && length <= BATCH_LENGTH)) continue;
    yield objects.slice(start, index);
    [start, length] = [index, 0];
  }
  if (start < objects.length) yield objects.slice(start);
}

const failure = ({ apiVersion, kind }: UnknownObject, why: string): ConversionError =>
  new ConversionError(`conversion webhook for ${apiVersion}, Kind=${kind} ${why}`);
