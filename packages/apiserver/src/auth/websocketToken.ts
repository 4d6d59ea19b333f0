import { type HeaderValues, headerValues } from '@vireo/kube';

/** Lets browsers send a bearer token, who cannot set headers on a websocket. */
const PREFIX = 'base64url.bearer.authorization.k8s.io.';
const HEADER = 'sec-websocket-protocol';

const offeredIn = (values: readonly string[]): string[] =>
  values.flatMap((value) => value.split(',')).map((name) => name.trim());

/** The bearer token among the protocols that a websocket offers. */
export function websocketToken(headers: HeaderValues): string | undefined {
  const encoded = offeredIn(headerValues(headers, HEADER)).find((name) => name.startsWith(PREFIX));
  return encoded && Buffer.from(encoded.slice(PREFIX.length), 'base64url').toString('utf8');
}

/** Headers without such a token, for those whose business it is not. The other protocols stay. */
export function withoutWebsocketToken<H extends HeaderValues>(headers: H): H {
  const values = headerValues(headers, HEADER);
  if (!values.some((value) => value.includes(PREFIX))) return headers;
  const { [HEADER]: _, ...rest } = headers;
  const kept = offeredIn(values).filter((name) => !name.startsWith(PREFIX));
  return { ...rest, ...(kept.length > 0 && { [HEADER]: kept.join(', ') }) } as H;
}
