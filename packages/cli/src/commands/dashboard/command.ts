import { type Command, Option } from 'commander';
import { examples } from '../../examples.ts';
import { parsePort } from '../../options.ts';
import { given } from '../vms/connectionOptions.ts';
import { clusterCommand } from '../vms/declare.ts';

/** The dashboard on the user's own host. */
export function addDashboardCommand(program: Command): void {
  clusterCommand(program, 'dashboard', 'open the dashboard in a browser')
    .description(
      'Serves the dashboard on this host, at 127.0.0.1, for the cluster of the current kubeconfig context: Vireo, or any ' +
        'Kubernetes with KubeVirt’s API. Prints its address and opens it in a browser, if there is one. Stays in the ' +
        'foreground until Ctrl-C.\n' +
        'The address can be opened once, within a minute; Enter prints another. The page acts with your permissions; your ' +
        'credentials do not leave this process.',
    )
    .addOption(
      new Option('--port <number>', 'local port of the dashboard; 0 picks a free port').default(0).argParser(parsePort),
    )
    .option('--no-open', 'print the address without opening a browser')
    .addHelpText(
      'after',
      examples(
        ['vireo dashboard', 'open it in a browser'],
        ['vireo dashboard --no-open --port 8080', 'print the address, with a port of your choice'],
        ['vireo dashboard --as jane', 'see what jane is allowed to do'],
      ),
    )
    .action(async (_, command) => (await import('./dashboard.ts')).dashboard(given(command)));
}
