import { parseDuration } from '@vireo/api/duration.ts';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { examples } from '../../examples.ts';
import { parseNodeName } from '../../options.ts';
import { given, withConnection } from '../vms/connectionOptions.ts';
import type { TokenCreateOptions, TokenListOptions } from './token.ts';

/** `vireo token`: by which hosts join. The code is loaded when one of the commands runs. */
export function addTokenCommands(program: Command): void {
  const token = program
    .command('token')
    .summary('manage the tokens by which hosts join')
    .description('Manages bootstrap tokens: with one, a host joins as a node that runs VMs.')
    .addHelpText('after', examples(['vireo token create', 'print the line to paste on another host']));

  withConnection(token.command('create'))
    .summary('create a token, and print the line that joins a host')
    .description(
      'Creates a bootstrap token and prints the command to run on the host that is to join. Whoever has the token can ' +
        'add nodes until it expires. It does not give the name of a node that exists to another host; for a host that ' +
        'lost its certificates, use --node.',
    )
    .addOption(
      new Option('--ttl <duration>', 'how long the token is valid: 2h, 30m; 0 means forever')
        .default(24 * 3_600_000, '24h')
        .argParser(parseTtl),
    )
    .addOption(new Option('--node <name>', 'only for this node, which may already exist').argParser(parseNodeName))
    .option('--description <text>', 'what the token is for')
    .addHelpText(
      'after',
      examples(
        ['vireo token create', 'print the line to paste on another host'],
        ['vireo token create --node web-1', 'let the host of this node join again'],
      ),
    )
    .action(async (_, command: Command) =>
      (await import('./token.ts')).createToken(given<TokenCreateOptions>(command)),
    );

  withConnection(token.command('list'))
    .summary('list the tokens')
    .description('Lists the tokens by which hosts can join, without their secrets.')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .addHelpText('after', examples(['vireo token list', 'as a table']))
    .action(async (_, command: Command) => (await import('./token.ts')).listTokens(given<TokenListOptions>(command)));

  withConnection(token.command('delete'))
    .summary('delete tokens')
    .description('Deletes tokens. Nodes that joined with them stay.')
    .argument('<id...>', 'IDs of the tokens: the part before the dot')
    .addHelpText('after', examples(['vireo token delete abcdef', 'nobody joins with it any more']))
    .action(async (ids: string[], _, command: Command) =>
      (await import('./token.ts')).deleteTokens(ids, given(command)),
    );
}

function parseTtl(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined || ms < 0) throw new InvalidArgumentError('Expected a duration such as 24h or 30m, or 0.');
  return ms;
}
