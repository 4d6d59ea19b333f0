/** The words of a command line as a shell would make them: quotes keep spaces together. */
export function splitWords(command: string): string[] {
  const words = command.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g);
  return [...words].map(([word]) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, (_, single, double) => single ?? double));
}
