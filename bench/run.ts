import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { apiserver } from './apiserver/index.ts';
import { FULL, type Plan, QUICK } from './bench.ts';
import { createProgress } from './progress.ts';
import { type Result, toJson, toTable } from './report.ts';

const BENCHMARKS: Readonly<Record<string, (plan: Plan, onProgress: (text: string) => void) => Promise<Result[]>>> = {
  apiserver,
};

const HELP = `Usage: npm run bench -- NAME [--quick] [--json FILE]

Benchmarks: ${Object.keys(BENCHMARKS).join(', ')}

  --quick      fewer and shorter rounds: below a minute, for a first look
  --json FILE  write the results to FILE as well
  --help       print this

Environment:
  VIREO_BENCH_KUBE_APISERVER, VIREO_BENCH_ETCD
               paths of the two programs: the same work is done on them, and the results stand beside ours
`;

process.exitCode = await run(process.argv.slice(2));

async function run(args: string[]): Promise<number> {
  const { values, positionals } = parse(args);
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const [name = '', ...others] = positionals;
  const benchmark = BENCHMARKS[name];
  if (!benchmark || others.length > 0) {
    console.error(
      `error: ${name === '' ? 'say which benchmark to run' : `there is no benchmark ${positionals.join(' ')}`}\n`,
    );
    console.error(HELP);
    return 2;
  }
  const progress = createProgress(process.stderr);
  const results = await benchmark(values.quick ? QUICK : FULL, progress.show).finally(progress.end);
  console.log(toTable(results));
  if (name === 'apiserver' && !process.env.VIREO_BENCH_KUBE_APISERVER)
    console.log('kube-apiserver and etcd were not measured: the environment does not name them (see --help).');
  if (values.json) writeFileSync(values.json, `${JSON.stringify(toJson(name, results), null, 2)}\n`);
  return 0;
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        quick: { type: 'boolean', default: false },
        json: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    console.error(`error: ${(error as Error).message}\n\n${HELP}`);
    process.exit(2);
  }
}
