import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const HUGE_PAGES = '/sys/kernel/mm/hugepages';

/** Bytes that the kernel has set aside as huge pages, by Kubernetes' name of the resource, such as `hugepages-2Mi`. */
export type HugePages = Readonly<Record<string, number>>;

/** The huge pages of this host. Sizes that the kernel knows and has none of count as 0, as a kubelet does. */
export async function readHugePages(directory = HUGE_PAGES): Promise<HugePages> {
  const names = await readdir(directory).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      const kib = Number(/^hugepages-(\d+)kB$/.exec(name)?.[1]);
      const count = Number(await readFile(join(directory, name, 'nr_hugepages'), 'utf8').catch(() => '0'));
      return kib > 0 ? [[`hugepages-${sizeText(kib)}`, kib * 1024 * (count || 0)] as const] : [];
    }),
  );
  return Object.fromEntries(found.flat().sort(([a], [b]) => a.localeCompare(b)));
}

function sizeText(kib: number): string {
  if (kib % 1024 ** 2 === 0) return `${kib / 1024 ** 2}Gi`;
  return kib % 1024 === 0 ? `${kib / 1024}Mi` : `${kib}Ki`;
}
