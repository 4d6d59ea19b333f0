import type { Exchange } from '@vireo/kube';
import { hostPort } from '../services/resolve.ts';
import { forwardedHeaders, withoutHops } from './frontProxy.ts';
import { type ProxyTarget, proxyError } from './proxy.ts';

/** What a proxy says of users is not for clients to say. */
const isFrontProxyHeader = (name: string): boolean => name.startsWith('x-remote-');

/**
 * Hands an exchange on as it is, credentials and all, to a server that looks at them itself. Data flows as it comes in
 * both directions; an answer may come before all of the request is there.
 */
export async function forward(exchange: Exchange, { channel, address }: ProxyTarget): Promise<void> {
  const gone = new AbortController();
  exchange.onClose(() => gone.abort());
  try {
    const { status, headers, body } = await channel.send({
      address,
      host: hostPort(address),
      method: exchange.method,
      path: exchange.target,
      headers: forwardedHeaders(exchange.headers, isFrontProxyHeader),
      ...(hasBody(exchange) && { body: exchange.input }),
      signal: gone.signal,
    });
    if (exchange.method === 'HEAD' || status === 204) {
      body.resume();
      exchange.send(status, withoutHops(headers), Buffer.alloc(0));
      return;
    }
    const output = exchange.open(status, withoutHops(headers));
    body.on('error', () => exchange.destroy());
    body.pipe(output);
    body.once('close', () => {
      if (!body.readableEnded) exchange.destroy();
    });
  } catch (error) {
    if (gone.signal.aborted) return;
    const { status, bytes, contentType } = proxyError(`error trying to reach service: ${(error as Error).message}`);
    exchange.send(status, { 'content-type': contentType }, bytes);
  }
}

function hasBody({ headers, input }: Exchange): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding, ':method': isHttp2 } = headers;
  if (length === '0') return false;
  if (isHttp2) return (input as Exchange['input'] & { readonly endAfterHeaders?: boolean }).endAfterHeaders !== true;
  return length !== undefined || encoding !== undefined;
}
