import { access } from 'node:fs/promises';
import { CommandError, run } from '@vireo/network';
import { Failure } from '../../../failure.ts';
import { programName } from '../../../programName.ts';
import type { HostNetwork } from '../reach/hostNetwork.ts';

/** The commands that make systemd-resolved ask the DNS server of guests for the names of the cluster, and those only. */
const setupCommands = ({ device, gateway }: HostNetwork, domain: string): string[][] => [
  ['resolvectl', 'dns', device, gateway],
  ['resolvectl', 'domain', device, `~${domain}`],
];

const removeCommands = ({ device }: HostNetwork): string[][] => [['resolvectl', 'revert', device]];

const shown = (words: readonly string[]): string =>
  words.map((word) => (word.startsWith('~') ? `'${word}'` : word)).join(' ');

/** Whether systemd-resolved answers for this host. */
export const hasResolved = (): Promise<boolean> =>
  access('/run/systemd/resolve').then(
    () => true,
    () => false,
  );

/** How to make this host know the names of guests. */
export function setupText(network: HostNetwork, domain: string, isResolved: boolean): string {
  const { device, gateway } = network;
  const intro = `Guests ask ${gateway} (${device}) for names. It knows those in ${domain}, and asks the resolvers of this host for others.`;
  if (!isResolved)
    return [
      intro,
      'To make this host ask it, too, put this line before the other nameservers in /etc/resolv.conf:',
      `  nameserver ${gateway}`,
      'Take it out again before `vireo down`: without the server, the host would wait for it at every name.',
    ].join('\n');
  return [
    intro,
    `To make this host ask it for names in ${domain}:`,
    ...setupCommands(network, domain).map((words) => `  sudo ${shown(words)}`),
    `${programName} dns --setup runs these commands, and ${programName} dns --remove undoes them. They hold until ${device} is`,
    'removed: by `vireo down`, or when the host boots.',
  ].join('\n');
}

/** Changes the settings of systemd-resolved for the device of guests, and for no other. */
export async function changeResolver(network: HostNetwork, domain: string, how: 'setup' | 'remove'): Promise<string> {
  const commands = how === 'setup' ? setupCommands(network, domain) : removeCommands(network);
  for (const [program = '', ...words] of commands) {
    try {
      await run(program, words);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      throw new Failure(
        `the resolver of this host was not changed: ${error.message}`,
        (await hasResolved())
          ? `It needs root: sudo ${shown([program, ...words])}`
          : 'This host does not use systemd-resolved. For another way, run the command without options.',
      );
    }
  }
  return how === 'setup'
    ? `This host now asks ${network.gateway} for names in ${domain}. To undo it: ${programName} dns --remove`
    : `This host no longer asks ${network.gateway} for names.`;
}
