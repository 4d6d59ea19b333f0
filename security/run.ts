import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { runTool } from '../bench/tool.ts';
import { PARTS } from './parts.ts';
import { formatReport, type PartReport, runParts } from './runParts.ts';

const HELP = `Usage: npm run security -- [--seed N] [--minutes M] [--only PART]... [--json FILE]

Starts its own Vireo, with simulated nodes, and attacks it. Exits with 1 if there is a finding.

Options:
  --seed N     seed of the random input; the same seed sends the same requests (default: random)
  --minutes M  start no new random case after this many minutes (default: 10)
  --only PART  run only this part; can be repeated:
${PARTS.map(({ name, about }) => `                 ${name.padEnd(13)} ${about}`).join('\n')}
  --json FILE  also write the results to this file
  --help       print help
`;

interface Options {
  readonly seed: number;
  readonly minutes: number;
  readonly only: readonly string[];
  readonly json?: string;
}

process.exitCode = await runTool(process.argv.slice(2), { help: HELP, parse, run });

async function run(options: Options): Promise<number> {
  const { seed, minutes, only, json } = options;
  console.log(`seed ${seed}`);
  const parts = PARTS.filter(({ name }) => only.length === 0 || only.includes(name));
  const reports = await runParts(parts, {
    seed,
    deadlineMs: Date.now() + minutes * 60_000,
    isShort: false,
    say: console.log,
  });
  console.log(formatReport(reports));
  if (json) await writeFile(json, `${JSON.stringify({ seed, parts: reports }, undefined, 2)}\n`);
  const found = reports.reduce((sum: number, { findings }: PartReport) => sum + findings.length, 0);
  if (found === 0) return 0;
  console.log(
    `To repeat this run: npm run security -- --seed ${seed}${only.map((name) => ` --only ${name}`).join('')}`,
  );
  return 1;
}

/** What is asked for; undefined: help; a text: what is wrong with it. */
function parse(args: string[]): Options | string | undefined {
  try {
    const { values } = parseArgs({
      args,
      options: {
        seed: { type: 'string' },
        minutes: { type: 'string', default: '10' },
        only: { type: 'string', multiple: true, default: [] },
        json: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return undefined;
    const seed = values.seed === undefined ? Math.floor(Math.random() * 1e6) : Number(values.seed);
    const minutes = Number(values.minutes);
    if (!Number.isSafeInteger(seed)) return `--seed ${values.seed} is not a whole number`;
    if (!(minutes > 0)) return '--minutes is a number above 0';
    const unknown = values.only.find((name) => !PARTS.some((part) => part.name === name));
    if (unknown !== undefined) return `unknown part: ${unknown}`;
    return { seed, minutes, only: values.only, ...(values.json !== undefined && { json: values.json }) };
  } catch (error) {
    return (error as Error).message;
  }
}
