import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { runTool } from '../bench/tool.ts';
import { AREAS, type Area } from './case.ts';
import { CASES } from './cases/index.ts';
import { Differ } from './differ.ts';
import { playGenerated } from './generated.ts';
import { CASES_AT_ONCE, inParallel } from './pool.ts';
import { recordCases } from './record.ts';
import { formatFinding, formatSummary } from './report.ts';
import { startOurs } from './servers/ours.ts';
import { type RealPrograms, startReal } from './servers/real.ts';

const HELP = `Usage: npm run oracle -- [--seed N] [--cases N] [--only AREA]... [--fixed] [--match TEXT] [--record FILE]

Plays requests on the real apiextensions-apiserver and on Vireo's, and compares what they answer. Ends with 1 if
something differs that oracle/knownDifferences.ts does not explain.

Options:
  --seed N       what is generated; the same number, the same requests. Default: another each time
  --cases N      how many cases are generated for each area; default 200
  --only AREA    this one alone (${AREAS.join(', ')}); can be given more than once
  --fixed        the cases of oracle/cases alone
  --match TEXT   of those, the ones whose name contains it; nothing is generated
  --record FILE  only ask the real server, and write what it answers to those cases there, as Markdown
  --help         print this
`;

interface Options {
  readonly seed: number;
  readonly cases: number;
  readonly areas: readonly Area[];
  readonly isFixed: boolean;
  readonly match: string;
  readonly record?: string;
}

// An exit ends the servers too; a signal by itself would leave them behind.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));
process.exitCode = await runTool(process.argv.slice(2), { help: HELP, parse, run });

async function run(options: Options): Promise<number> {
  const fixed = CASES.filter(({ area, name }) => options.areas.includes(area) && name.includes(options.match));
  await using real = await startReal(realPrograms());
  if (options.record !== undefined) {
    await writeFile(options.record, await recordCases(real, fixed));
    return 0;
  }
  await using ours = await startOurs();
  const differ = new Differ(real, ours, (finding) => console.log(formatFinding(finding)));
  await inParallel(fixed, CASES_AT_ONCE, async (each) => void (await differ.take(each)));
  console.log(`The ${fixed.length} fixed cases are played.`);
  if (!options.isFixed) {
    console.log(`seed ${options.seed}`);
    for (const area of options.areas) await playGenerated(differ, area, options.seed, options.cases);
  }
  console.log(formatSummary(differ.tally));
  return differ.tally.findings.size === 0 ? 0 : 1;
}

/** Where `npm run oracle` says that they are. */
function realPrograms(): RealPrograms {
  const { VIREO_ORACLE_SERVER: server, VIREO_ORACLE_ETCD: etcd } = process.env;
  if (!server || !etcd) throw new Error('run this with: npm run oracle');
  return { server, etcd };
}

/** What is asked for; undefined: help; a text: what is wrong with it. */
function parse(args: string[]): Options | string | undefined {
  try {
    const { values } = parseArgs({
      args,
      options: {
        seed: { type: 'string' },
        cases: { type: 'string', default: '200' },
        only: { type: 'string', multiple: true, default: [] },
        fixed: { type: 'boolean', default: false },
        match: { type: 'string' },
        record: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return undefined;
    const seed = values.seed === undefined ? Math.floor(Math.random() * 1e6) : Number(values.seed);
    const cases = Number(values.cases);
    if (!Number.isSafeInteger(seed)) return `--seed ${values.seed} is not a whole number`;
    if (!Number.isSafeInteger(cases) || cases < 1) return `--cases ${values.cases} is not a whole number above 0`;
    const unknown = values.only.find((name) => !AREAS.some((area) => area === name));
    if (unknown !== undefined) return `there is no area ${unknown}`;
    return {
      seed,
      cases,
      areas: AREAS.filter((area) => values.only.length === 0 || values.only.includes(area)),
      isFixed: values.fixed || values.match !== undefined,
      match: values.match ?? '',
      ...(values.record !== undefined && { record: values.record }),
    };
  } catch (error) {
    return (error as Error).message;
  }
}
