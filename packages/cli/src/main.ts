import { printError } from './failure.ts';
import { buildProgram } from './program.ts';

try {
  await buildProgram().parseAsync();
} catch (error) {
  printError(error);
  process.exitCode = 1;
}
