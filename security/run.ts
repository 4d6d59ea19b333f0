import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { runTool } from '../bench/tool.ts';
import { PARTS } from './parts.ts';
import { formatReport, type PartReport, runParts } from './runParts.ts';

const HELP = `Usage: npm run security -- [--seed N] [--minutes M] [--only PART]... [--json FILE]

Starts a Vireo of its own, with simulated nodes, and attacks it. Ends with 1 if anything was found that should not be.

Options:
  --seed N     what the random parts send; the same number, the same requests. Default: another each time
  --minutes M  no random case begins after so many minutes; default 10
  --only PART  this one alone; can be given more than once:
${PARTS.map(({ name, about }) => `                 ${name.padEnd(13)} ${about}`).join('\n')}
  --json FILE  write what was looked at and found there as well
  --help       print this
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
  console.log(`To see it again: npm run security -- --seed ${seed}${only.map((name) => ` --only ${name}`).join('')}`);
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
    if (unknown !== undefined) return `there is no part ${unknown}`;
    return { seed, minutes, only: values.only, ...(values.json !== undefined && { json: values.json }) };
  } catch (error) {
    return (error as Error).message;
  }
}
