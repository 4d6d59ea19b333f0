import { existsSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { defaultHome } from '../../options.ts';

/** Which server a command speaks to, as kubectl and virtctl are told. */
export interface ConnectionOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
}

const connectionOptions = (): Option[] => [
  new Option('--kubeconfig <file>', 'kubeconfig to use (default: $KUBECONFIG, else the home’s, else ~/.kube/config)'),
  new Option('--context <name>', 'context of the kubeconfig to use'),
  new Option('-n, --namespace <name>', 'namespace of the machine (default: the context’s)'),
];

/** Adds the options to a command that speaks to a server. */
export function withConnection(command: Command): Command {
  for (const option of connectionOptions()) command.addOption(option);
  return command;
}

/**
 * virtctl takes these options before the command as well (`virtctl -n web start db`). The program then reads them
 * wherever they stand, so commands that have no use for them must refuse them again.
 */
export function acceptConnectionAnywhere(program: Command): void {
  for (const option of connectionOptions()) program.addOption(option.hideHelp());
  program.hook('preAction', (_, command) => {
    for (const option of connectionOptions()) {
      const isGiven = program.getOptionValueSource(option.attributeName()) !== undefined;
      const isKnown = command.options.some(({ long }) => long === option.long);
      if (isGiven && !isKnown) command.error(`error: unknown option '${option.long}'`);
    }
  });
}

/** The one file to read, or undefined to look where kubectl looks. */
export function kubeconfigFile(
  { kubeconfig }: ConnectionOptions,
  env: NodeJS.ProcessEnv,
  exists: (file: string) => boolean = existsSync,
): string | undefined {
  if (kubeconfig) return kubeconfig;
  if (env.KUBECONFIG) return undefined;
  const home = env.VIREO_HOME || defaultHome({ isRoot: userInfo().uid === 0, homeDirectory: env.HOME ?? homedir() });
  const ofHome = join(home, 'kubeconfig');
  return exists(ofHome) ? ofHome : undefined;
}
