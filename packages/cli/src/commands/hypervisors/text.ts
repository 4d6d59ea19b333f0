/** What is told of one hypervisor. */
export interface HypervisorLine {
  readonly name: string;
  readonly aliases: readonly string[];
  /** Package that brought it; missing for those that come with Vireo. */
  readonly plugin?: string;
  readonly devices: readonly string[];
  /** Whether new machines of the cluster run by it; missing where no server runs. */
  readonly active?: boolean;
  readonly usable: boolean;
  readonly reason?: string;
}

export interface HypervisorList {
  readonly hypervisors: readonly HypervisorLine[];
  /** Plug-ins that were not taken. */
  readonly refused: readonly { readonly plugin: string; readonly problem: string }[];
  /** Why it is not known which one is active. */
  readonly unknown?: string;
}

const HEADINGS = ['NAME', 'ACTIVE', 'USABLE HERE', 'FROM', 'DEVICES', 'ALSO CALLED'];

export function hypervisorsText({ hypervisors, refused, unknown }: HypervisorList): string {
  const rows = hypervisors.map((line) => [
    line.name,
    line.active === undefined ? '?' : line.active ? 'yes' : '',
    line.usable ? 'yes' : 'no',
    line.plugin ?? 'vireo',
    line.devices.join(', ') || '-',
    line.aliases.join(', '),
  ]);
  const reasons = hypervisors.flatMap(({ name, reason }) => (reason ? [`${name}: ${reason}`] : []));
  return [
    ...table([HEADINGS, ...rows]),
    ...(reasons.length > 0 ? ['', 'Not usable here:', ...reasons.map((text) => `  ${text}`)] : []),
    ...(refused.length > 0
      ? ['', 'Plug-ins that are not used:', ...refused.map(({ plugin, problem }) => `  ${plugin}: ${problem}`)]
      : []),
    ...(unknown ? ['', `Which one is active is not known: ${unknown}`] : []),
  ].join('\n');
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
