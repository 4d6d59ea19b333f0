/** A setting of KubeVirt that the form offers. The path is below `spec.configuration`. */
export interface SettingField {
  readonly path: readonly string[];
  readonly title: string;
  readonly help: string;
  readonly type: 'choice' | 'text' | 'number' | 'flag';
  readonly choices?: readonly string[];
  /** What counts while nothing is set. */
  readonly byDefault: string;
}

interface Section {
  readonly title: string;
  readonly fields: readonly SettingField[];
}

const number = (path: string, title: string, byDefault: string, help: string): SettingField => ({
  path: path.split('.'),
  title,
  help,
  type: 'number',
  byDefault,
});
const flag = (path: string, title: string, help: string): SettingField => ({
  path: path.split('.'),
  title,
  help,
  type: 'flag',
  byDefault: 'no',
});
const text = (path: string, title: string, byDefault: string, help: string): SettingField => ({
  path: path.split('.'),
  title,
  help,
  type: 'text',
  byDefault,
});

/** The settings that people change; all others are in the YAML. */
export const SECTIONS: readonly Section[] = [
  {
    title: 'Defaults of machines',
    fields: [
      {
        path: ['evictionStrategy'],
        title: 'When a node is drained',
        help: 'What becomes of guests that say nothing themselves.',
        type: 'choice',
        choices: ['None', 'LiveMigrate', 'LiveMigrateIfPossible', 'External'],
        byDefault: 'None',
      },
      {
        path: ['vmRolloutStrategy'],
        title: 'Changes of running machines',
        help: 'LiveUpdate applies them where possible; Stage waits for the next start.',
        type: 'choice',
        choices: ['LiveUpdate', 'Stage'],
        byDefault: 'LiveUpdate',
      },
      text('cpuModel', 'CPU model', 'host-model', 'For guests that name none.'),
      text('architectureConfiguration.amd64.machineType', 'Machine type (amd64)', 'q35', 'For guests that name none.'),
      text('vmStateStorageClass', 'Storage class of TPM and UEFI state', 'the default class', 'For persistent state.'),
      number('virtualMachineInstancesPerNode', 'Guests per node', '1000', 'How many share a device of a node.'),
      number(
        'developerConfiguration.cpuAllocationRatio',
        'Virtual CPUs per CPU',
        '10',
        'How far CPU is overcommitted.',
      ),
      number(
        'developerConfiguration.memoryOvercommit',
        'Memory in percent of the request',
        '100',
        'Above 100 overcommits.',
      ),
      flag('developerConfiguration.useEmulation', 'Emulate without KVM', 'Guests run on nodes without KVM, slowly.'),
    ],
  },
  {
    title: 'Live migration',
    fields: [
      number('migrations.parallelMigrationsPerCluster', 'At once, in the cluster', '5', 'Others wait.'),
      number('migrations.parallelOutboundMigrationsPerNode', 'At once, from a node', '2', 'Others wait.'),
      text(
        'migrations.bandwidthPerMigration',
        'Bandwidth of each',
        '0',
        'Bytes per second, such as 64Mi; 0 is no limit.',
      ),
      number('migrations.completionTimeoutPerGiB', 'Longest time', '150', 'Seconds for each GiB to copy.'),
      number('migrations.progressTimeout', 'Longest standstill', '150', 'Seconds without progress.'),
      flag('migrations.allowAutoConverge', 'Slow busy guests down', 'So that their migration ends.'),
      flag(
        'migrations.allowPostCopy',
        'Post-copy',
        'A guest goes on before its memory is there; a broken connection loses it.',
      ),
    ],
  },
];

export const FIELDS: readonly SettingField[] = SECTIONS.flatMap(({ fields }) => fields);

export const fieldKey = ({ path }: SettingField): string => path.join('.');

/** The value at a path, as the form shows it; empty if none is set. */
export function shownValue(configuration: unknown, { path }: SettingField): string {
  let value = configuration;
  for (const step of path) value = isRecord(value) ? value[step] : undefined;
  return value === undefined || value === null ? '' : String(value);
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Why a text is no value of a field. An empty one means the default. */
export function fieldProblem({ type }: SettingField, value: string): string | undefined {
  if (value === '' || type !== 'number') return undefined;
  return /^\d{1,15}$/.test(value) ? undefined : 'A whole number, or nothing for the default.';
}

/** As the API takes it; undefined removes the field. */
export function apiValue({ type }: SettingField, value: string): string | number | boolean | undefined {
  const trimmed = value.trim();
  if (trimmed === '') return undefined;
  if (type === 'number') return Number(trimmed);
  return type === 'flag' ? trimmed === 'true' : trimmed;
}
