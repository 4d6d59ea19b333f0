import type { UnknownObject } from '@vireo/api';
import {
  type AdmissionReviewBody,
  reviewed,
  startWebhookServer,
  type TestWebhookServer,
  type WebhookCall,
} from '../webhookServer.ts';
import { addressOf, convertGateway } from './kinds.ts';

interface ConversionReviewBody {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: UnknownObject[] };
}

type Gateway = UnknownObject & { readonly spec: object };

/** The webhooks that the operator serves by itself: `/convert` and `/validate`. */
export const serveWebhooks = (): Promise<TestWebhookServer> =>
  startWebhookServer<AdmissionReviewBody | ConversionReviewBody>((call) =>
    call.path === '/convert'
      ? convert(call as WebhookCall<ConversionReviewBody>)
      : validate(call as WebhookCall<AdmissionReviewBody>),
  );

function convert({ body: { apiVersion, kind, request } }: WebhookCall<ConversionReviewBody>) {
  const { uid, desiredAPIVersion, objects } = request;
  const convertedObjects = objects.map((object) => convertGateway(object as Gateway, desiredAPIVersion));
  return { apiVersion, kind, response: { uid, result: { status: 'Success' }, convertedObjects } };
}

function validate({ body }: WebhookCall<AdmissionReviewBody>) {
  const gateway = body.request.object as unknown as Gateway;
  const port = Number(addressOf(gateway).split(':').at(-1));
  if (port >= 1 && port <= 65535) return reviewed(body);
  return reviewed(body, {
    allowed: false,
    status: { code: 422, reason: 'Invalid', message: 'the port is out of range' },
  });
}
