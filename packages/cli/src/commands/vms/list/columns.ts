import { age } from '@vireo/api/kinds/columns.ts';
import { formatSize, type VmSummary } from '../vmSummary.ts';

export interface ListLayout {
  readonly allNamespaces: boolean;
  readonly wide: boolean;
}

interface Column {
  readonly head: string;
  readonly cell: (vm: VmSummary, now: Date) => string | undefined;
  readonly isShown?: (layout: ListLayout) => boolean;
}

const isWide = ({ wide }: ListLayout): boolean => wide;

const COLUMNS: readonly Column[] = [
  { head: 'NAMESPACE', cell: ({ namespace }) => namespace, isShown: ({ allNamespaces }) => allNamespaces },
  { head: 'NAME', cell: ({ name }) => name },
  { head: 'STATE', cell: ({ state }) => state },
  { head: 'ADDRESS', cell: ({ addresses }) => addresses[0] },
  { head: 'IMAGE', cell: ({ image }) => image },
  { head: 'CPU', cell: ({ cpus }) => cpus?.toString() },
  { head: 'MEMORY', cell: ({ memory }) => memory },
  { head: 'DISK', cell: diskTotal },
  { head: 'NODE', cell: ({ node }) => node, isShown: isWide },
  { head: 'AGE', cell: ({ createdAt }, now) => age(createdAt, now), isShown: isWide },
  { head: 'GUEST OS', cell: ({ guestOS }) => guestOS, isShown: isWide },
  { head: 'MORE ADDRESSES', cell: ({ addresses }) => addresses.slice(1).join(','), isShown: isWide },
];

function diskTotal({ disks }: VmSummary): string | undefined {
  const bytes = disks.reduce((sum, { sizeBytes = 0 }) => sum + sizeBytes, 0);
  return bytes > 0 ? formatSize(bytes) : undefined;
}

const columnsOf = (layout: ListLayout): readonly Column[] =>
  COLUMNS.filter(({ isShown }) => isShown === undefined || isShown(layout));

export const headOf = (layout: ListLayout): string[] => columnsOf(layout).map(({ head }) => head);

export const rowOf = (vm: VmSummary, layout: ListLayout, now: Date): string[] =>
  columnsOf(layout).map(({ cell }) => cell(vm, now) || '-');
