import { isIP } from 'node:net';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { homeOption, logFormatOption, logLevelOption, nodeNameOption, parsePort } from '../../options.ts';
import { podNetworkOption } from '../../podNetwork.ts';

/** Adds what a node can be told, however it came to its cluster. */
export function withNodeOptions(command: Command): Command {
  return command
    .addOption(homeOption())
    .addOption(nodeNameOption())
    .addOption(
      new Option('--port <number>', 'port on which the cluster reaches this node; 0 picks a free port')
        .default(10250)
        .argParser(parsePort),
    )
    .addOption(
      new Option(
        '--address <address>',
        'address at which the cluster reaches this node; it then listens there only (default: that of the route to other hosts)',
      ).argParser(parseAddress),
    )
    .addOption(
      new Option(
        '--no-taint',
        'accept pods that do not tolerate virtual-kubelet.io/provider; only counts when the Node is created',
      ),
    )
    .addOption(podNetworkOption())
    .addOption(logFormatOption())
    .addOption(logLevelOption())
    .option('-d, --detach', 'run the node in the background, and return when it is ready');
}

function parseAddress(text: string): string {
  if (isIP(text) === 0) throw new InvalidArgumentError('Expected an IP address.');
  return text;
}
