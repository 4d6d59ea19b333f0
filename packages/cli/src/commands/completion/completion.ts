import { bashScript, fishScript, powershellScript, zshScript } from './scripts.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript, powershell: powershellScript } as const;

export type Shell = keyof typeof SCRIPTS;

/** Shells that completion scripts exist for. */
export const shells = Object.keys(SCRIPTS) as Shell[];

/**
 * Prints the script for a shell. It asks the program itself at every press of Tab, so that names of VMs are offered
 * as well.
 */
export function completion(shell: Shell, programName: string): void {
  // As a plug-in, kubectl completes it by bin/kubectl_complete-virt; a script can be for the file alone.
  console.log(SCRIPTS[shell](programName.replace(' ', '-')));
}
