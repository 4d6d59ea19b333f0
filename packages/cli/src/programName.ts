import { basename } from 'node:path';

/** What the user typed: `vireo`, `virtctl`, or `kubectl virt` for kubectl's plug-in. */
export function nameFrom(calledAs: string | undefined): string {
  const name = basename(calledAs || 'vireo');
  return name.startsWith('kubectl-') ? name.replace('-', ' ') : name;
}

/** The name by which this program was called; `bin/vireo` passes it on. */
export const programName: string = nameFrom(process.env.VIREO_CALLED_AS);

/** The text with the commands in it as this user types them. */
export const inThisName = (text: string): string => text.replaceAll(/\bvireo(?= [a-z])/g, programName);
