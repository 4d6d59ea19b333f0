import type { VirtualMachineInstanceMigration } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceMigration.ts';
import type { Metrics, Sample } from '@vireo/kube';

type Migration = VirtualMachineInstanceMigration;

/** Phases by what they are counted as; `''` is one that nobody has looked at yet. */
const UNDER_WAY = {
  unset: [''],
  pending: ['Pending'],
  scheduling: ['Scheduling'],
  running: ['Scheduled', 'PreparingTarget', 'TargetReady', 'Running'],
} as const satisfies Record<string, readonly string[]>;

const phaseOf = ({ status }: Migration): string => status?.phase ?? '';

/** Counts migrations by how far they are, and tells of each that ended how. */
export function readMigrations(metrics: Metrics, migrations: () => readonly Migration[]): void {
  for (const [word, phases] of Object.entries(UNDER_WAY)) {
    const isSo = (migration: Migration): boolean => (phases as readonly string[]).includes(phaseOf(migration));
    metrics.gauge(
      `kubevirt_vmi_migrations_in_${word}_phase`,
      `Number of current ${word} migrations.`,
      () => migrations().filter(isSo).length,
    );
  }
  for (const [word, phase] of [
    ['succeeded', 'Succeeded'],
    ['failed', 'Failed'],
  ]) {
    const ended = function* (): Iterable<Sample> {
      for (const migration of migrations()) {
        const { name = '', namespace = '' } = migration.metadata;
        if (phaseOf(migration) === phase) yield { labels: [migration.spec?.vmiName ?? '', name, namespace], value: 1 };
      }
    };
    const help = `Indicates if the VMI migration ${word}.`;
    const labels = ['vmi', 'vmim', 'namespace'];
    metrics.read({ name: `kubevirt_vmi_migration_${word}`, help, type: 'gauge', labels }, ended);
  }
}
