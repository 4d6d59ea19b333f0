import { access, constants, readFile } from 'node:fs/promises';
import { CommandError, run } from '@vireo/network';

/** What keeps a node from making networks, in a word and in a sentence. */
export interface NetworkProblem {
  readonly reason: string;
  readonly message: string;
}

const CAP_NET_ADMIN = 12n;
const TUN = '/dev/net/tun';

/**
 * Why this host cannot have a network of its own for guests; undefined if it can. What the kernel and nft understand is
 * tried with the very rules that are to be loaded.
 */
export async function networkProblem(ruleset: string): Promise<NetworkProblem | undefined> {
  const status = await readFile('/proc/self/status', 'utf8');
  const capabilities = BigInt(`0x${/^CapEff:\s*([\da-f]+)/m.exec(status)?.[1] ?? '0'}`);
  if (((capabilities >> CAP_NET_ADMIN) & 1n) === 0n)
    return {
      reason: 'NoNetAdmin',
      message: 'Vireo may not make network devices here: it needs root, or CAP_NET_ADMIN',
    };
  try {
    await access(TUN, constants.R_OK | constants.W_OK);
  } catch (error) {
    return {
      reason: 'NoTun',
      message: `${TUN} cannot be used: ${(error as Error).message}. Load the kernel module tun, or give the container the device`,
    };
  }
  for (const [program, words, input, debian] of [
    ['ip', ['-V'], '', 'iproute2'],
    ['nft', ['-c', '-f', '-'], ruleset, 'nftables'],
  ] as const) {
    try {
      await run(program, words, input);
    } catch (error) {
      const isMissing = ((error as CommandError).cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
      if (isMissing)
        return { reason: 'NoPrograms', message: `the program ${program} is missing; install the package ${debian}` };
      const why = error instanceof CommandError ? error.stderr : String(error);
      return { reason: 'NoNftables', message: `the kernel or nft does not take the rules of the network: ${why}` };
    }
  }
  return undefined;
}
