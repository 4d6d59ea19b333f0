import { ApiError, badRequest, internalError, type Kind } from '@vireo/api';
import { annotateAudit, annotateFailedOpen } from '../../audit/context.ts';
import { NoClient, type WebhookClient } from '../../webhooks/client.ts';
import type { AdmissionRequest } from '../admission.ts';
import { CallingError } from './callingError.ts';
import type { ObservedCall, WebhookObserver } from './observe.ts';
import { refusal, reviewOf, reviewVersionOf } from './review.ts';
import type { ReviewResponse, Webhook } from './types.ts';
import { operationsOf, verifyResponse } from './verify.ts';

const DEFAULT_SECONDS = 10;
/** Nobody could have sent a larger object, and its patch is not much larger, as base64. */
const MAX_BYTES = 8 << 20;
const DRY = ['None', 'NoneOnDryRun'];

/** One webhook that is asked about one request. */
export interface Question {
  readonly webhook: Webhook;
  readonly type: ObservedCall['type'];
  /** With its objects as of the kind `as`. */
  readonly request: AdmissionRequest;
  readonly as: Kind;
}

/** What a webhook wants to have done to an object that it allows. */
export interface Allowed {
  readonly operations: readonly unknown[];
}

/** The answer of a webhook that allows; undefined where its failure is to be ignored. Throws the refusal. */
export async function askWebhook(
  question: Question,
  client: WebhookClient,
  observer: WebhookObserver,
): Promise<Allowed | undefined> {
  const { webhook, type, request } = question;
  const begun = performance.now();
  const observe = (outcome: Pick<ObservedCall, 'error' | 'code'>): void => {
    const seconds = (performance.now() - begun) / 1000;
    observer.called({ name: webhook.name, type, operation: request.operation, seconds, ...outcome });
  };
  try {
    const response = await call(question, client);
    for (const warning of response.warnings) request.warn(warning);
    for (const [key, value] of Object.entries(response.auditAnnotations))
      annotateAudit(`${webhook.name}/${key}`, value);
    if (!response.allowed) throw refusal(webhook, response);
    const operations = type === 'admit' ? operationsOf(response) : [];
    observe({ code: 200 });
    return { operations };
  } catch (error) {
    if (error instanceof ApiError) observe({ error: 'no_error', code: error.code });
    if (!(error instanceof CallingError)) throw error;
    const isIgnored = webhook.failurePolicy === 'Ignore';
    observe({ ...(!isIgnored && { error: 'calling_webhook_error' }), code: 503 });
    if (isLate(request)) throw requestTimeout();
    if (!isIgnored) throw internalError(`failed calling webhook "${webhook.name}": ${error.message}`);
    observer.failedOpen(webhook.name, type);
    annotateFailedOpen(webhook.name, type);
    return undefined;
  }
}

const isLate = ({ deadline = Number.POSITIVE_INFINITY }: AdmissionRequest): boolean => Date.now() >= deadline;

/** The time that the whole request had is over. */
const requestTimeout = (): ApiError =>
  new ApiError('Timeout', 'Timeout: request did not complete within requested timeout - context deadline exceeded', {});

async function call({ webhook, type, request, as }: Question, client: WebhookClient): Promise<ReviewResponse> {
  if (request.dryRun && !DRY.includes(webhook.sideEffects ?? ''))
    throw badRequest(`admission webhook "${webhook.name}" does not support dry run`);
  if (isLate(request)) throw requestTimeout();
  const reviewVersion = reviewVersionOf(webhook);
  const review = reviewOf(request, as, reviewVersion);
  const { deadline = Number.POSITIVE_INFINITY, signal } = request;
  const timeoutMs = Math.min((webhook.timeoutSeconds ?? DEFAULT_SECONDS) * 1000, deadline - Date.now());
  const limits = { timeoutMs, tellsTimeout: true, maxBytes: MAX_BYTES, ...(signal && { signal }) };
  let answer: unknown;
  try {
    answer = await client.post(webhook.clientConfig, review, limits);
  } catch (error) {
    const what = error instanceof NoClient ? 'could not get REST client' : 'failed to call webhook';
    throw new CallingError(`${what}: ${(error as Error).message}`, { cause: error });
  }
  return verifyResponse(answer, { uid: review.request.uid, reviewVersion, isMutating: type === 'admit' });
}
