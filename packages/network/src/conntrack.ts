import { isIPv4 } from 'node:net';
import { CommandError, isMissingProgram, run } from './run.ts';
import { ipv4, ipv6, type Protocol, port } from './text.ts';

/**
 * Forgets the flows that a Service has led to an endpoint which it no longer has. Datagrams of a client would go there for as
 * long as it sends them: connections end, flows do not. Without the program `conntrack` they last until they are quiet for a
 * while; returns false then.
 */
export async function forgetFlows(endpoint: {
  readonly address: string;
  readonly port: number;
  readonly protocol: Protocol;
}): Promise<boolean> {
  const isIpv4 = isIPv4(endpoint.address);
  const words = [
    '-D',
    ...(isIpv4 ? [] : ['-f', 'ipv6']),
    '-p',
    endpoint.protocol,
    '-g',
    isIpv4 ? ipv4(endpoint.address) : ipv6(endpoint.address),
    '--reply-port-src',
    String(port(endpoint.port)),
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
