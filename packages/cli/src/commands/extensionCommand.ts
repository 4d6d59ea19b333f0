import { type Command, Option } from 'commander';
import { examples } from '../examples.ts';
import { homeOption, listenOption, logFormatOption, logLevelOption, parsePort } from '../options.ts';
import type { ExtensionCommandOptions } from './extension.ts';

/** `vireo extension`: the part that answers webhooks and APIServices, as a process of its own. */
export function addExtensionCommand(program: Command): void {
  const required = (flags: string, text: string): Option => new Option(flags, text).makeOptionMandatory();
  program
    .command('extension')
    .summary('run the extension in a process of its own')
    .description(
      'Serves the admission and the subresources of VMs behind the webhooks and APIServices of an API server. ' +
        '`vireo up --extension remote` starts it, restarts it if it ends, and stops it; you do not need to run it yourself.',
    )
    .addOption(required('--kubeconfig <file>', 'kubeconfig with the extension’s own account'))
    .addOption(required('--tls-cert-file <file>', 'certificate for virt-api.kubevirt.svc'))
    .addOption(required('--tls-private-key-file <file>', 'private key of the certificate'))
    .addOption(required('--node-socket <file>', 'unix socket on which the server’s process offers its nodes'))
    .addOption(new Option('--port <number>', 'port to listen on; 0 picks a free port').default(0).argParser(parsePort))
    .addOption(listenOption().default('local'))
    .addOption(homeOption())
    .addOption(logFormatOption())
    .addOption(logLevelOption())
    .addHelpText('after', examples(['vireo up --extension remote', 'start the server and the extension']))
    // Loaded here, so that the other commands start without its code.
    .action(async (options: ExtensionCommandOptions) => (await import('./extension.ts')).extension(options));
}
