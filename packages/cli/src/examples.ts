import { inThisName } from './programName.ts';

/** The examples of a command's help: what to type, and what it means. */
export function examples(...lines: [command: string, meaning: string][]): string {
  const width = Math.max(...lines.map(([command]) => command.length));
  const shown = lines.map(([command, meaning]) => `  ${inThisName(command.padEnd(width))}  # ${meaning}`);
  return ['\nExamples:', ...shown].join('\n');
}
