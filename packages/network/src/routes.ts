import { isIP } from 'node:net';
import { CommandError, run } from './run.ts';

/** The device by which this host sends to an address; undefined where it has no way there, or no iproute2. */
export async function routeDevice(address: string): Promise<string | undefined> {
  if (!isIP(address)) return undefined;
  try {
    const [route] = JSON.parse(await run('ip', ['-j', 'route', 'get', address])) as { dev?: string }[];
    return route?.dev;
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}
