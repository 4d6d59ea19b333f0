export interface Tool<T extends object> {
  readonly help: string;
  /** What is asked for; undefined: help; a text: what is wrong with it. */
  readonly parse: (args: string[]) => T | string | undefined;
  /** The exit code. */
  readonly run: (options: T) => Promise<number>;
}

/** Runs a tool by its arguments; whoever asks for help gets it, and so does whoever asks for what there is not. */
export async function runTool<T extends object>(args: string[], { help, parse, run }: Tool<T>): Promise<number> {
  const options = parse(args);
  if (typeof options === 'string') {
    console.error(`error: ${options}\n\n${help}`);
    return 2;
  }
  if (options === undefined) {
    console.log(help);
    return 0;
  }
  return run(options);
}
