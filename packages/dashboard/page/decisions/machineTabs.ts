import { CONSOLES, GRAPHS, type Has, isServed, SCREENS, type Served, SNAPSHOTS } from './features.ts';
import type { Machine } from './machine.ts';

/** A view of a machine. */
interface MachineTab {
  readonly key: string;
  readonly title: string;
  /** It is shown only where the server has this. */
  readonly needs?: Served;
}

export const MACHINE_TABS: readonly MachineTab[] = [
  { key: 'overview', title: 'Overview' },
  { key: 'console', title: 'Console', needs: CONSOLES },
  { key: 'screen', title: 'Screen', needs: SCREENS },
  { key: 'metrics', title: 'Metrics' },
  { key: 'disks', title: 'Disks' },
  { key: 'network', title: 'Network' },
  { key: 'snapshots', title: 'Snapshots', needs: SNAPSHOTS },
  { key: 'graph', title: 'Depends on', needs: GRAPHS },
  { key: 'events', title: 'Events' },
  { key: 'yaml', title: 'YAML' },
];

/** The views that the server has what they need for. */
export const servedTabs = (has: Has): readonly MachineTab[] =>
  MACHINE_TABS.filter(({ needs }) => isServed(has, needs && [needs]));

/** The address of a view. */
export const tabAddress = ({ namespace, name }: Pick<Machine, 'namespace' | 'name'>, key = 'overview'): string =>
  `/machines/${namespace}/${name}${key === 'overview' ? '' : `/${key}`}`;
