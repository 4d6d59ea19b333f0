import { Failure, printError } from './failure.ts';
import { plainFlags } from './goFlags.ts';
import { buildProgram } from './program.ts';

try {
  const program = buildProgram();
  const [first, ...words] = process.argv.slice(2);
  if (first === '__complete') await (await import('./commands/completion/complete.ts')).complete(program, words);
  else await program.parseAsync(plainFlags(process.argv.slice(2), program), { from: 'user' });
} catch (error) {
  printError(error);
  process.exitCode = error instanceof Failure ? error.exitCode : 1;
}
