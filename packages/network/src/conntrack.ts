import { isIPv4 } from 'node:net';
import { CommandError, isMissingProgram, run } from './run.ts';
import type { Endpoint } from './service.ts';
import { ipv4, ipv6, type Protocol, port } from './text.ts';

/** Flows to an endpoint of a Service. */
export interface Flows {
  readonly endpoint: Endpoint;
  readonly protocol: Protocol;
  /** What they are sent to: a port, at one address or at all; missing: whatever leads to the endpoint. */
  readonly at?: { readonly address?: string; readonly port: number };
}

/**
 * Forgets the flows that a Service has led to an endpoint which it no longer has. Datagrams of a client would go there for as
 * long as it sends them: connections end, flows do not. Without the program `conntrack` they last until they are quiet for a
 * while; returns false then.
 */
export async function forgetFlows({ endpoint, protocol, at }: Flows): Promise<boolean> {
  const isIpv4 = isIPv4(endpoint.address);
  const address = isIpv4 ? ipv4 : ipv6;
  const words = [
    '-D',
    ...(isIpv4 ? [] : ['-f', 'ipv6']),
    '-p',
    protocol,
    '-g',
    address(endpoint.address),
    '--reply-port-src',
    String(port(endpoint.port)),
    ...(at?.address === undefined ? [] : ['--orig-dst', address(at.address)]),
    ...(at ? ['--orig-port-dst', String(port(at.port))] : []),
  ];
  try {
    await run('conntrack', words);
  } catch (error) {
    if (isMissingProgram(error)) return false;
    // It fails if there are none.
    if (!(error instanceof CommandError) || !/ 0 flow entries/.test(error.stderr)) throw error;
  }
  return true;
}
