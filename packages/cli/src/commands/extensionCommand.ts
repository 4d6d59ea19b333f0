import { isIP } from 'node:net';
import { dnsLabel } from '@vireo/api/names.ts';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { examples } from '../examples.ts';
import { homeOption, listenOption, logFormatOption, logLevelOption, parsePeriod, parsePort } from '../options.ts';
import { roleKubeconfigOption } from '../roles/options.ts';
import type { ExtensionCommandOptions } from './extension.ts';

const PORT = 8443;

/** `vireo extension`: the part that answers webhooks and APIServices, as a process of its own. */
export function addExtensionCommand(program: Command): void {
  program
    .command('extension')
    .summary('run the extension in a process of its own')
    .description(
      'Serves the admission and the subresources of VMs behind the webhooks and APIServices of an API server, which ' +
        'may be that of an existing Kubernetes. Start two or more: each adds itself to the Service kubevirt/virt-api, ' +
        'and if one ends, the others go on. It acts as the service account kubevirt/kubevirt-apiserver: credentials ' +
        'that can create tokens for that account, such as an administrator’s, are used for nothing else.\n' +
        '`vireo up` runs the extension itself and does not need this command.',
    )
    .addOption(roleKubeconfigOption())
    .addOption(homeOption())
    .addOption(
      new Option('--port <number>', 'port to listen on; 0 picks a free port').default(PORT).argParser(parsePort),
    )
    .addOption(listenOption())
    .addOption(
      new Option(
        '--advertise-address <address>',
        'IP address at which API servers reach this instance (default: that of the route to other hosts)',
      ).argParser(parseAddress),
    )
    .addOption(
      new Option('--name <name>', 'name of the instance (default: the host’s and a random suffix)').argParser(
        parseName,
      ),
    )
    .addOption(
      new Option(
        '--certificate-duration <duration>',
        'how long its serving certificate lasts (default: 24h)',
      ).argParser(parsePeriod),
    )
    .addOption(
      new Option(
        '--ca-duration <duration>',
        'how long the authority lasts that signs the serving certificates of all instances (default: 168h)',
      ).argParser(parsePeriod),
    )
    // Nodes in the process of a server that starts the extension have no port.
    .addOption(new Option('--node-socket <file>', 'unix socket of the nodes of a server’s process').hideHelp())
    .addOption(logFormatOption())
    .addOption(logLevelOption())
    .addHelpText(
      'after',
      examples(
        ['vireo extension --kubeconfig admin.conf', 'on an existing Kubernetes'],
        ['vireo extension --port 0', 'one more for the server of this home'],
      ),
    )
    // Loaded here, so that the other commands start without its code.
    .action(async (options: ExtensionCommandOptions) => (await import('./extension.ts')).extension(options));
}

function parseAddress(text: string): string {
  if (isIP(text) === 0) throw new InvalidArgumentError('It must be an IP address.');
  return text;
}

/** With a prefix it is the name of a Lease and part of a user's name. */
function parseName(text: string): string {
  const [problem] = dnsLabel(text);
  if (problem) throw new InvalidArgumentError(`It is not a DNS label: ${problem}.`);
  return text;
}
