import { writeFile } from 'node:fs/promises';
import { Failure } from '../../failure.ts';
import { actionPath, connected } from './connection.ts';
import type { ConnectionOptions } from './connectionOptions.ts';
import { fetchBytes } from './http1.ts';
import { orFail } from './refusal.ts';

interface ScreenshotOptions extends ConnectionOptions {
  readonly file: string;
  readonly moveCursor?: boolean;
}

/** Writes what a VM's screen shows, as PNG. */
export function screenshot(name: string, options: ScreenshotOptions): Promise<void> {
  return connected(options, async (connection) => {
    const path = actionPath(connection, 'virtualmachineinstances', name, 'vnc/screenshot');
    const image = await orFail(
      connection,
      (why) => `Can't access VMI ${name}: ${why}`,
      () => fetchBytes(connection.target, `${path}?moveCursor=${options.moveCursor ?? false}`),
    );
    if (options.file === '-') process.stdout.write(image);
    else await write(options.file, image);
  });
}

async function write(file: string, image: Buffer): Promise<void> {
  try {
    await writeFile(file, image);
  } catch (error) {
    throw new Failure(
      `Can't write image to a file: ${error instanceof Error ? error.message : error}`,
      'Choose another file with -f.',
    );
  }
}
