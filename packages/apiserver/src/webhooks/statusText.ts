import { isStatus } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';

const MAX_SHOWN = 2048;

/** What client-go says of statuses that come without a Status object. */
const TEXTS: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};

/** A response that is no success, in the words of Kubernetes' own client. */
export function statusText(status: number, contentType: string, body: string): string {
  const sent = readStatus(body);
  if (sent !== undefined) return sent;
  const isText = contentType === '' || contentType.startsWith('text/');
  const shown = isText ? body.slice(0, MAX_SHOWN).trim() : 'unknown';
  if (status === 403) return shown;
  const known = TEXTS[status];
  if (known !== undefined) return known;
  if (status >= 500)
    return `an error on the server (${JSON.stringify(shown)}) has prevented the request from succeeding`;
  return `the server responded with the status code ${status} but did not return more information`;
}

/** The message of a Status that tells of a failure. */
function readStatus(body: string): string | undefined {
  try {
    const value: unknown = JSON.parse(body);
    if (!isObject(value) || !isStatus(value) || value.status === 'Success') return undefined;
    return typeof value.message === 'string' ? value.message : '';
  } catch {
    return undefined;
  }
}
