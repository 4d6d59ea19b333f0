import { isObject } from '../../json.ts';
import type { Node } from './node.ts';
import { SHARED_REPORT } from './volumeNames.ts';

/** What a node finds in the directory of a class. */
export type SharedReport =
  | { readonly path: string; readonly problem: string }
  | {
      readonly path: string;
      /** What the directory is known by: random, and written by whoever came first. */
      readonly id: string;
      /** What this node wrote there since it started. */
      readonly token: string;
      /** What it reads there of other nodes, by their names. */
      readonly sees: Readonly<Record<string, string>>;
      /** Nodes whose locks it does not notice. */
      readonly unlocked: readonly string[];
    };

/** The reports of a node by the names of the classes; none where they cannot be read. */
export function sharedReports({ metadata }: Node): Readonly<Record<string, SharedReport>> {
  try {
    const reports: unknown = JSON.parse(metadata.annotations?.[SHARED_REPORT] ?? '{}');
    return isObject(reports) ? (reports as Record<string, SharedReport>) : {};
  } catch {
    return {};
  }
}
