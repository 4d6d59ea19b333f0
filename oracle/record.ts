import type { Case } from './case.ts';
import { normalise } from './normalise.ts';
import { play } from './play.ts';
import { CASES_AT_ONCE, inParallel } from './pool.ts';
import type { PlayedServer } from './servers/server.ts';
import { formatTranscript } from './transcript.ts';

/** What a server answers to these cases, as Markdown. */
export async function recordCases(server: PlayedServer, cases: readonly Case[]): Promise<string> {
  const sections: string[] = [];
  await inParallel([...cases.entries()], CASES_AT_ONCE, async ([index, each]) => {
    const group = `case${index}.example.com`;
    sections[index] = formatTranscript(each, normalise(await play(server, each, group), group));
  });
  return sections.join('\n');
}
