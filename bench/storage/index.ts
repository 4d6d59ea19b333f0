import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { Namespace } from '@vireo/api';
import { startVireoWithMachines } from '../machines/vireo.ts';
import type { Result } from '../report.ts';
import { type Figures, rounds } from '../rounds.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { DataVolumes, NAMESPACE } from './dataVolumes.ts';
import { type Images, makeImages, timeTool } from './images.ts';
import type { Plan } from './plan.ts';

interface Bench {
  readonly plan: Plan;
  readonly images: Images;
  readonly volumes: DataVolumes;
  /** The directory of the images on a web server. */
  readonly web: string;
}

/** What is measured: from the request to a filled claim, against a tool on the same file. */
interface Measurement {
  readonly what: string;
  readonly tool: 'cp' | 'convert';
  readonly image: keyof Images;
  /** Milliseconds. */
  time(bench: Bench, name: string): Promise<number>;
}

const GOLDEN = 'golden';

const importing = (image: keyof Images) => async (bench: Bench, name: string) => {
  const url = `${bench.web}/${basename(bench.images[image])}`;
  return filled(bench, name, { http: { url } });
};

const uploading = (image: keyof Images) => async (bench: Bench, name: string) => {
  await bench.volumes.create(name, { upload: {} }, bench.plan.diskMib);
  await bench.volumes.reaches(name, 'UploadReady');
  const startedAt = performance.now();
  await bench.volumes.upload(name, bench.images[image]);
  return performance.now() - startedAt;
};

export const MEASUREMENTS: Readonly<Record<string, readonly Measurement[]>> = {
  import: [
    { what: 'import of qcow2', tool: 'convert', image: 'qcow2', time: importing('qcow2') },
    { what: 'import of raw', tool: 'cp', image: 'raw', time: importing('raw') },
  ],
  clone: [
    {
      what: 'clone',
      tool: 'cp',
      image: 'raw',
      time: (bench, name) => filled(bench, name, { pvc: { namespace: NAMESPACE, name: GOLDEN } }),
    },
  ],
  upload: [
    { what: 'upload of qcow2', tool: 'convert', image: 'qcow2', time: uploading('qcow2') },
    { what: 'upload of raw', tool: 'cp', image: 'raw', time: uploading('raw') },
  ],
};

const TOOL_NAMES = { cp: 'cp --reflink=auto', convert: 'qemu-img convert' } as const;

async function filled({ volumes, plan }: Bench, name: string, source: Parameters<DataVolumes['create']>[1]) {
  const startedAt = performance.now();
  await volumes.create(name, source, plan.diskMib);
  await volumes.reaches(name, 'Succeeded');
  return performance.now() - startedAt;
}

/** Measures how claims are filled, beside the tools that people fill disks with; leaves nothing behind. */
export async function storage(
  plan: Plan,
  names: readonly string[],
  onProgress: (text: string) => void,
): Promise<Result[]> {
  await using cleanUp = new AsyncDisposableStack();
  const directory = await temporaryDirectory();
  cleanUp.defer(() => rm(directory, { recursive: true, force: true }));
  onProgress('nothing yet: making images and starting Vireo');
  const images = await makeImages(directory, plan.diskMib);
  const home = join(directory, 'vireo');
  const vireo = await startVireoWithMachines(home);
  cleanUp.defer(() => vireo.stop());
  await vireo.client.of(Namespace).create({ metadata: { name: NAMESPACE } });
  const volumes = cleanUp.use(await DataVolumes.start(vireo.client, join(home, 'pki/ca.crt')));
  const bench = { plan, images, volumes, web: await serve(directory, cleanUp) };
  await MEASUREMENTS.import![1]!.time(bench, GOLDEN);

  const measurements = names.flatMap((name) => MEASUREMENTS[name]!);
  let count = 0;
  const contestants = measurements.flatMap((measurement) => [
    [measurement.what, () => timeOurs(bench, measurement, `volume-${++count}`, onProgress)] as const,
    [toolKey(measurement), () => timeTheirs(bench, measurement, join(directory, 'copy'))] as const,
  ]);
  const budgetMs = plan.budgetSeconds * 1000;
  const measured = await rounds(plan.rounds, Object.fromEntries(contestants), { warmUp: plan.rounds > 1, budgetMs });
  return measurements.map((measurement) => ({
    metric: `${measurement.what}, ${plan.diskMib / 2} of ${plan.diskMib} MiB, vs ${TOOL_NAMES[measurement.tool]}`,
    value: measured[measurement.what]!.ms!,
    unit: 'ms',
    baseline: measured[toolKey(measurement)]!.ms!,
    better: 'less',
    aim: { of: 'ratio', bound: 1.15 },
  }));
}

const toolKey = ({ what, tool }: Measurement): string => `${tool} beside ${what}`;

async function timeOurs(
  bench: Bench,
  { what, time }: Measurement,
  name: string,
  onProgress: (text: string) => void,
): Promise<Figures> {
  onProgress(what);
  const ms = await time(bench, name);
  await bench.volumes.remove(name, 1);
  return { ms };
}

async function timeTheirs({ images }: Bench, { tool, image }: Measurement, copy: string): Promise<Figures> {
  const ms = await timeTool(tool, images[image], copy);
  await rm(copy);
  return { ms };
}

/** Serves the images; resolves with their address. */
async function serve(directory: string, cleanUp: AsyncDisposableStack): Promise<string> {
  const server = createServer(async (request, response) => {
    const file = join(directory, basename(request.url ?? ''));
    response.writeHead(200, { 'content-length': (await stat(file)).size });
    createReadStream(file, { highWaterMark: 1 << 20 }).pipe(response);
  });
  cleanUp.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
