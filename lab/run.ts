import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runTool } from '../bench/tool.ts';
import { keepCache, writeDisks } from './disks.ts';
import { runGuest } from './guest.ts';
import { shellJob, testJob } from './job.ts';
import { unpackKernel } from './kernel.ts';
import { HELP, type Options, parseOptions } from './options.ts';

const EXIT_CODE_OF_TIMEOUT = 124;

process.exitCode = await runTool(process.argv.slice(2), { help: HELP, parse: parseOptions, run });

async function run({ isShell, isKvm, timeoutMs, vitestArgs }: Options): Promise<number> {
  const { VIREO_LAB_IMAGE: image, VIREO_KUBECTL: kubectl } = process.env;
  if (!image || !kubectl) throw new Error('start this with `npm run lab`, which builds the lab');
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupted.abort());
  const directory = await mkdtemp(join(tmpdir(), 'vireo-lab-'));
  try {
    const startedAt = performance.now();
    const seconds = (): string => `${Math.round((performance.now() - startedAt) / 1000)} s`;
    const jobOptions = { isKvm, hasColours: Boolean(process.stdout.isTTY) };
    const job = isShell ? shellJob(terminal(), jobOptions) : testJob(vitestArgs, jobOptions);
    const disks = await writeDisks({ root: resolve(import.meta.dirname, '..'), image, directory, job, kubectl });
    const kernel = await unpackKernel(image);
    console.error(isShell ? 'Booting the lab …' : `Booting the lab for ${vitestArgs.join(' ')} …`);
    const timeLimit = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
    const unit = isShell ? 'lab-shell.service' : 'lab-tests.service';
    let isBooted = false;
    const onOutput = (chunk: Buffer): void => {
      if (!isBooted) {
        isBooted = true;
        console.error(`Booted after ${seconds()}`);
        process.stdout.write(chunk.toString().replace(/^booted\r?\n/, ''));
      } else process.stdout.write(chunk);
    };
    const signals = [interrupted.signal, ...(timeLimit ? [timeLimit] : [])];
    const outcome = await runGuest({ image, kernel, disks, directory, unit, onOutput }, AbortSignal.any(signals));
    if (interrupted.signal.aborted) return 130;
    if (timeLimit?.aborted) console.error(`error: the lab was powered off after ${seconds()}: its time was over`);
    else if (!isShell) console.error(`The lab ended after ${seconds()}`);
    if (outcome.code !== undefined) {
      await keepCache(disks, image);
      return outcome.code;
    }
    if (isShell) return 0;
    console.error(
      `It gave no result. The end of its console:\n${outcome.console.trim().split('\n').slice(-30).join('\n')}`,
    );
    return timeLimit?.aborted ? EXIT_CODE_OF_TIMEOUT : 1;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function terminal() {
  const { columns = 80, rows = 24 } = process.stdout;
  return { columns, rows, type: process.env.TERM ?? 'vt100' };
}
