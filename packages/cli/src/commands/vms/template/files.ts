import { readFileSync } from 'node:fs';
import { parse, YAMLParseError } from 'yaml';
import { Failure } from '../../../failure.ts';
import { toYaml } from '../create/manifest.ts';

/** The object in a file, in JSON or YAML; `-` is standard input. `what`: what it should be, for the error. */
export function readObject(file: string, what: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new Failure(`error opening file ${file}: ${error instanceof Error ? error.message : error}`);
  }
  try {
    const value: unknown = parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error;
    throw new Failure(`error decoding ${what}: ${error.message}`);
  }
  throw new Failure(`error decoding ${what}: ${file} contains no object`);
}

/** Refuses formats that nothing prints. */
export function requireFormat(output: string): void {
  if (output !== 'yaml' && output !== 'json') throw new Failure(`not supported output format: ${output}`);
}

export const print = (object: unknown, output: string): void =>
  void process.stdout.write(output === 'json' ? `${JSON.stringify(object, undefined, 1)}\n` : toYaml(object));
