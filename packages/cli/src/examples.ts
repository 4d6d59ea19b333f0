/** The examples of a command's help: what to type, and what it means. */
export function examples(...lines: [command: string, meaning: string][]): string {
  const width = Math.max(...lines.map(([command]) => command.length));
  return ['\nExamples:', ...lines.map(([command, meaning]) => `  ${command.padEnd(width)}  # ${meaning}`)].join('\n');
}
