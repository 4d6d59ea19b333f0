import { readFile } from 'node:fs/promises';

/** The kernel counts in sectors of this size, whatever those of the device are. */
const SECTOR_BYTES = 512;

/** How large a block device is. `rdev`: its number, as `stat` tells it. */
export async function deviceBytes(rdev: number): Promise<number> {
  const [major, minor] = [(rdev >> 8) & 0xfff, (rdev & 0xff) | ((rdev >> 12) & 0xfff00)];
  return Number(await readFile(`/sys/dev/block/${major}:${minor}/size`, 'utf8')) * SECTOR_BYTES;
}
