import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { MEASUREMENTS as ACTION_MEASUREMENTS, actions } from './actions/index.ts';
import * as actionPlans from './actions/plan.ts';
import { apiserver, MEASUREMENTS } from './apiserver/index.ts';
import * as apiserverPlans from './apiserver/plan.ts';
import { MEASUREMENTS as CDROM_MEASUREMENTS, cdrom } from './cdrom/index.ts';
import * as cdromPlans from './cdrom/plan.ts';
import { chart } from './chart.ts';
import { comparison, readReport } from './compare.ts';
import { MEASUREMENTS as CONTROLLER_MEASUREMENTS, controllers } from './controllers/index.ts';
import * as controllerPlans from './controllers/plan.ts';
import { MEASUREMENTS as DASHBOARD_MEASUREMENTS, dashboard, whyNot as whyNoDashboard } from './dashboard/index.ts';
import * as dashboardPlans from './dashboard/plan.ts';
import { MEASUREMENTS as MIGRATION_MEASUREMENTS, migration, whyNot as whyNoMigration } from './migration/index.ts';
import * as migrationPlans from './migration/plan.ts';
import { MEASUREMENTS as NETWORK_MEASUREMENTS, network, whyNot as whyNoNetwork } from './network/index.ts';
import * as networkPlans from './network/plan.ts';
import { MEASUREMENTS as GRAPH_MEASUREMENTS, objectgraph } from './objectgraph/index.ts';
import * as graphPlans from './objectgraph/plan.ts';
import { createProgress } from './progress.ts';
import { MEASUREMENTS as REPLICASET_MEASUREMENTS, replicaSets } from './replicaset/index.ts';
import * as replicaSetPlans from './replicaset/plan.ts';
import { type JsonReport, type Result, toJson, toTable } from './report.ts';
import { MEASUREMENTS as SCALE_MEASUREMENTS, scale } from './scale/index.ts';
import * as scalePlans from './scale/plan.ts';
import { MEASUREMENTS as STORAGE_MEASUREMENTS, storage } from './storage/index.ts';
import * as storagePlans from './storage/plan.ts';
import { MEASUREMENTS as VM_MEASUREMENTS, vm } from './vm/index.ts';
import * as vmPlans from './vm/plan.ts';

interface Benchmark {
  readonly measurements: readonly string[];
  run(isQuick: boolean, measurements: readonly string[], onProgress: (text: string) => void): Promise<Result[]>;
  /** What is to be said of the results. */
  note?(): string | undefined;
}

const load = (): string =>
  `load average ${loadavg()
    .map((each) => each.toFixed(1))
    .join(', ')} on ${availableParallelism()} cores`;

const BENCHMARKS: Readonly<Record<string, Benchmark>> = {
  actions: {
    measurements: ACTION_MEASUREMENTS,
    run: (isQuick, _, onProgress) => actions(isQuick ? actionPlans.QUICK : actionPlans.FULL, onProgress),
    note: load,
  },
  apiserver: {
    measurements: Object.keys(MEASUREMENTS),
    run: (isQuick, measurements, onProgress) =>
      apiserver(isQuick ? apiserverPlans.QUICK : apiserverPlans.FULL, measurements, onProgress),
    note: () =>
      process.env.VIREO_BENCH_KUBE_APISERVER
        ? undefined
        : 'kube-apiserver and etcd were not measured: set their paths in the environment (see --help).',
  },
  cdrom: {
    measurements: CDROM_MEASUREMENTS,
    run: (isQuick, _, onProgress) => cdrom(isQuick ? cdromPlans.QUICK : cdromPlans.FULL, onProgress),
    note: load,
  },
  controllers: {
    measurements: CONTROLLER_MEASUREMENTS,
    run: (isQuick, _, onProgress) => controllers(isQuick ? controllerPlans.QUICK : controllerPlans.FULL, onProgress),
  },
  dashboard: {
    measurements: DASHBOARD_MEASUREMENTS,
    run: (isQuick, measurements, onProgress) =>
      dashboard(isQuick ? dashboardPlans.QUICK : dashboardPlans.FULL, measurements, onProgress),
    note: () => whyNoDashboard() ?? load(),
  },
  migration: {
    measurements: MIGRATION_MEASUREMENTS,
    run: (isQuick, measurements, onProgress) =>
      migration(isQuick ? migrationPlans.QUICK : migrationPlans.FULL, measurements, onProgress),
    note: () => whyNoMigration() ?? load(),
  },
  network: {
    measurements: NETWORK_MEASUREMENTS,
    run: (isQuick, measurements, onProgress) =>
      network(isQuick ? networkPlans.QUICK : networkPlans.FULL, measurements, onProgress),
    note: () => whyNoNetwork() ?? load(),
  },
  objectgraph: {
    measurements: GRAPH_MEASUREMENTS,
    run: (isQuick, _, onProgress) => objectgraph(isQuick ? graphPlans.QUICK : graphPlans.FULL, onProgress),
  },
  replicaset: {
    measurements: Object.keys(REPLICASET_MEASUREMENTS),
    run: (isQuick, measurements, onProgress) =>
      replicaSets(isQuick ? replicaSetPlans.QUICK : replicaSetPlans.FULL, measurements, onProgress),
  },
  scale: {
    measurements: SCALE_MEASUREMENTS,
    run: (isQuick, measurements, onProgress) =>
      scale(isQuick ? scalePlans.QUICK : scalePlans.FULL, measurements, onProgress),
    note: load,
  },
  storage: {
    measurements: Object.keys(STORAGE_MEASUREMENTS),
    run: (isQuick, measurements, onProgress) =>
      storage(isQuick ? storagePlans.QUICK : storagePlans.FULL, measurements, onProgress),
    note: load,
  },
  vm: {
    measurements: Object.keys(VM_MEASUREMENTS),
    run: (isQuick, measurements, onProgress) => vm(isQuick ? vmPlans.QUICK : vmPlans.FULL, measurements, onProgress),
    note: load,
  },
};

const HELP = `Usage: npm run bench -- [NAME] [--quick | --full] [--only MEASUREMENT]... [--json FILE] [--compare FILE] [--charts DIR]

Without a name, all benchmarks run, with fewer rounds unless you set --full, and charts are written to docs/figures.

Benchmarks and their measurements:
${Object.entries(BENCHMARKS)
  .map(([name, { measurements }]) => `  ${name}: ${measurements.join(', ')}`)
  .join('\n')}

Options:
  --quick             fewer and shorter rounds, less than a minute
  --full              all rounds; the default for a single benchmark
  --only MEASUREMENT  run only this measurement; can be repeated
  --json FILE         write the results to FILE as well
  --compare FILE      compare with the results that --json wrote to FILE in another run
  --charts DIR        draw the ratios: DIR/NAME.svg
  --help              print this help

Environment:
  VIREO_BENCH_KUBE_APISERVER, VIREO_BENCH_ETCD
                      paths of the two programs; runs the same benchmark on them for comparison
`;

const FIGURES = fileURLToPath(new URL('../docs/figures', import.meta.url));

/** A command line that asks for what there is not. */
class WrongUse extends Error {}

try {
  await run(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof WrongUse)) throw error;
  console.error(`error: ${error.message}\n\n${HELP}`);
  process.exitCode = 2;
}

async function run(args: string[]): Promise<void> {
  const { values, positionals } = parse(args);
  if (values.help) {
    console.log(HELP);
    return;
  }
  const [name, ...others] = positionals;
  if (others.length > 0) throw new WrongUse(`name one benchmark or none: unexpected ${others.join(' ')}`);
  if (values.quick && values.full) throw new WrongUse('use either --quick or --full, not both');
  const before = values.compare === undefined ? undefined : readBefore(values.compare);
  const chosen = name === undefined ? Object.keys(BENCHMARKS) : [name];
  const isQuick = values.quick || (name === undefined && !values.full);
  const charts = values.charts ?? (name === undefined ? FIGURES : undefined);
  const results: Result[] = [];
  for (const [index, each] of chosen.entries()) {
    const place = chosen.length > 1 ? `${index + 1} of ${chosen.length}, ` : '';
    const own = await measure(each, isQuick, values.only, place);
    results.push(
      ...(name === undefined ? own.map((result) => ({ ...result, metric: `${each}: ${result.metric}` })) : own),
    );
    if (charts !== undefined) draw(charts, each, own);
  }
  if (before) console.log(`\nCompared with ${values.compare}:\n\n${comparison(results, before)}`);
  const report = toJson(name ?? 'all', results);
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
}

/** Runs one benchmark and prints what it gave. `place`: where it stands among those that are run. */
async function measure(name: string, isQuick: boolean, only: readonly string[], place: string): Promise<Result[]> {
  const benchmark = BENCHMARKS[name];
  if (!benchmark) throw new WrongUse(`unknown benchmark ${name}`);
  const unknown = only.find((measurement) => !benchmark.measurements.includes(measurement));
  if (unknown !== undefined) throw new WrongUse(`${name} has no measurement ${unknown}`);
  const progress = createProgress(process.stderr);
  const wanted = only.length > 0 ? only : benchmark.measurements;
  const show = (text: string): void => progress.show(`${place}${name}: ${text}`);
  const results = await benchmark.run(isQuick, wanted, show).finally(progress.end);
  console.log(`\n${name}\n\n${toTable(results)}`);
  const note = benchmark.note?.();
  if (note) console.log(note);
  return results;
}

function draw(directory: string, name: string, results: readonly Result[]): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, `${name}.svg`), chart(name, results));
}

function readBefore(file: string): JsonReport {
  try {
    return readReport(file);
  } catch (error) {
    throw new WrongUse(`--compare: ${(error as Error).message}`);
  }
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        quick: { type: 'boolean', default: false },
        full: { type: 'boolean', default: false },
        only: { type: 'string', multiple: true, default: [] },
        json: { type: 'string' },
        compare: { type: 'string' },
        charts: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    throw new WrongUse((error as Error).message);
  }
}
