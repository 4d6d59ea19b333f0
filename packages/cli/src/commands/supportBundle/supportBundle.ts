import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { Option } from 'commander';
import { examples } from '../../examples.ts';
import { errorCode, Failure, fileProblem } from '../../failure.ts';
import { homeOption } from '../../options.ts';
import { readServerRecord } from '../../serverRecord.ts';

/** `vireo support-bundle`: everything that whoever helps would ask for. */
export function addSupportBundleCommand(program: Command): void {
  program
    .command('support-bundle')
    .summary('collect logs and objects for troubleshooting')
    .description(
      'Writes a ZIP archive with versions, running processes, the server’s objects and metrics, the logs of Vireo,\n' +
        'libvirt and the guests, and the libvirt domains. Values of Secrets, cloud-init data of guests and passwords in\n' +
        'URLs are left out; names and addresses are not. Only you can read the file. Without a running server, the\n' +
        'archive contains no objects.',
    )
    .addOption(homeOption())
    .addOption(new Option('-f, --file <file>', 'output file (default: vireo-support-<time>.zip in this directory)'))
    .addHelpText(
      'after',
      examples(
        ['vireo support-bundle', 'write to this directory'],
        ['vireo support-bundle -f /tmp/help.zip', 'write to another file'],
        ['unzip -l vireo-support-*.zip', 'review it before you share it'],
      ),
    )
    .action(writeSupportBundle);
}

async function writeSupportBundle({ home, file }: { home: string; file?: string }): Promise<void> {
  const now = new Date();
  const path = resolve(file ?? `vireo-support-${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}.zip`);
  // Loaded here, so that the other commands start without it.
  const { writeArchive } = await import('@vireo/extension/support/archives.ts');
  const problems: string[] = [];
  try {
    await writeArchive(path, filesOf(home, problems));
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw new Failure(`${path} already exists`, 'Choose another file with -f.');
    if (['ENOENT', 'EACCES', 'ENOTDIR', 'EROFS', 'ENOSPC'].includes(errorCode(error) ?? ''))
      throw new Failure(`${path} cannot be written: ${fileProblem(error)}`, 'Choose another file with -f.');
    throw error;
  }
  for (const problem of problems) console.error(`Left out: ${problem}`);
  console.log(`Wrote ${path} (${Math.ceil((await stat(path)).size / 1024)} KiB). Only you can read it.`);
}

async function* filesOf(home: string, problems: string[]) {
  const { hostFiles } = await import('./hostFiles.ts');
  const reportProblem = (what: string): void => void problems.push(what);
  yield* hostFiles(home, reportProblem);
  if (readServerRecord(home)) yield* objectFiles(home, reportProblem);
  else reportProblem(`objects: no server is running on ${home}`);
  if (problems.length > 0) yield { name: 'problems.txt', data: Buffer.from(`${problems.join('\n')}\n`) };
}

async function* objectFiles(home: string, reportProblem: (what: string) => void) {
  const { Secret } = await import('@vireo/api');
  const { clusterFiles, metricsFile, SUPPORT_KINDS } = await import('@vireo/extension/support/clusterFiles.ts');
  const { Client, httpTransport, loadKubeconfig } = await import('@vireo/kube');
  const client = new Client(httpTransport(await loadKubeconfig({ path: join(home, 'kubeconfig') })));
  try {
    yield* metricsFile(client, reportProblem);
    yield* clusterFiles(client, [...SUPPORT_KINDS, Secret], reportProblem);
  } catch (error) {
    reportProblem(`objects: ${(error as Error).message}`);
  } finally {
    await client.close();
  }
}
