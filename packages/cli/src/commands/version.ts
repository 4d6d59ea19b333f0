import { version } from '../version.ts';

/** Prints what runs. */
export function printVersion({ output }: { output: string }): void {
  const node = process.versions.node;
  console.log(output === 'json' ? JSON.stringify({ vireo: version, node }) : `vireo ${version} (node ${node})`);
}
