import { ApiError } from '@vireo/api';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { pause } from '@vireo/kube';
import { stringify } from 'yaml';
import { programName } from '../../../programName.ts';
import { type Connection, connected } from '../connection.ts';
import type { ConnectionOptions } from '../connectionOptions.ts';
import { type ExpandedSpecs, readVms } from '../readVms.ts';
import { orFail } from '../refusal.ts';
import { columnWidths, formatTable, tableRow } from '../table.ts';
import type { VmSummary } from '../vmSummary.ts';
import { headOf, type ListLayout, rowOf } from './columns.ts';

export interface ListOptions extends ConnectionOptions {
  readonly allNamespaces?: boolean;
  readonly output?: 'wide' | 'json' | 'yaml' | 'name';
  readonly watch?: boolean;
}

/** Prints the VMs of a namespace or of all, and goes on printing those that change where that is asked for. */
export function list(options: ListOptions): Promise<void> {
  const { allNamespaces = false, output, watch = false } = options;
  const layout = { allNamespaces, wide: output === 'wide' };
  return connected(options, async (connection) => {
    const { summaries, versions } = await readVms(connection, allNamespaces);
    if (!watch) return print(wholeList(summaries, options, connection.namespace));
    if (output === 'json' || output === 'yaml' || output === 'name')
      for (const summary of summaries) print(oneVm(summary, options));
    else print(formatTable([headOf(layout), ...summaries.map((each) => rowOf(each, layout, new Date()))]));
    await follow(connection, options, layout, summaries, versions);
  });
}

const print = (text: string): void => {
  if (text !== '') console.log(text);
};

/** The list as it was asked for. */
export function wholeList(vms: readonly VmSummary[], options: ListOptions, namespace: string): string {
  const { allNamespaces = false, output } = options;
  const layout = { allNamespaces, wide: output === 'wide' };
  switch (output) {
    case 'json':
      return JSON.stringify(vms, undefined, 2);
    case 'yaml':
      return stringify(vms).trimEnd();
    case 'name':
      return vms.map((vm) => oneVm(vm, options)).join('\n');
    default:
      if (vms.length > 0) return formatTable([headOf(layout), ...vms.map((each) => rowOf(each, layout, new Date()))]);
      return `No VMs found${allNamespaces ? '' : ` in namespace ${namespace}`}. To launch one: ${programName} launch`;
  }
}

/** One VM for programs: a line of JSON, a YAML document, or its name. */
function oneVm(vm: VmSummary, { allNamespaces, output }: ListOptions): string {
  if (output === 'json') return JSON.stringify(vm);
  if (output === 'yaml') return `---\n${stringify(vm).trimEnd()}`;
  return allNamespaces ? `${vm.namespace}/${vm.name}` : vm.name;
}

/** Changes come in flocks: one look is enough for all of them. */
const SETTLE_MS = 200;
/** A watch that fails again and again is tried every half minute. */
const MOST_DOUBLINGS = 7;

/** Prints each VM whose line has changed, until Ctrl-C. */
async function follow(
  connection: Connection,
  options: ListOptions,
  layout: ListLayout,
  first: readonly VmSummary[],
  since: Versions,
): Promise<void> {
  const isTable = options.output === undefined || options.output === 'wide';
  const lineOf = (vm: VmSummary): string => rowOf(vm, layout, new Date(vm.createdAt)).join('\t');
  let known = new Map(first.map((vm) => [keyOf(vm), { vm, line: lineOf(vm) }]));
  const widths = columnWidths([headOf(layout), ...first.map((vm) => rowOf(vm, layout, new Date()))]);
  const printVm = (vm: VmSummary): void =>
    print(isTable ? tableRow(rowOf(vm, layout, new Date()), widths) : oneVm(vm, options));
  let versions = since;
  let failures = 0;
  const expanded: ExpandedSpecs = new Map();
  for (;;) {
    const error = await nextChange(connection, options.allNamespaces ?? false, versions);
    if (error instanceof ApiError && (error.code === 401 || error.code === 403))
      await orFail(
        connection,
        (why) => `cannot watch VMs: ${why}`,
        () => Promise.reject(error),
      );
    failures = error === undefined ? 0 : failures + 1;
    await pause(SETTLE_MS * 2 ** Math.min(failures, MOST_DOUBLINGS), new AbortController().signal);
    const read = await readVms(connection, options.allNamespaces ?? false, expanded);
    const now = new Map(read.summaries.map((vm) => [keyOf(vm), { vm, line: lineOf(vm) }]));
    for (const [key, { vm, line }] of now) if (known.get(key)?.line !== line) printVm(vm);
    for (const [key, { vm }] of known) if (!now.has(key)) printVm({ ...vm, state: 'Deleted' });
    [known, versions] = [now, read.versions];
  }
}

const keyOf = ({ namespace, name }: VmSummary): string => `${namespace}/${name}`;

interface Versions {
  readonly vms?: string | undefined;
  readonly vmis?: string | undefined;
}

/**
 * Waits until a VM or a VMI has changed; a watch that ends counts as well, for a look costs little. Returns why a watch
 * failed.
 */
async function nextChange({ client, namespace }: Connection, all: boolean, { vms, vmis }: Versions): Promise<unknown> {
  const stop = new AbortController();
  const where = { ...(all ? {} : { namespace }), signal: stop.signal };
  const watches = [
    client.of(VirtualMachine).watch({ ...where, ...(vms && { resourceVersion: vms }) }),
    client.of(VirtualMachineInstance).watch({ ...where, ...(vmis && { resourceVersion: vmis }) }),
  ];
  const firstOf = async (watch: Promise<AsyncIterable<{ readonly type: string }>>): Promise<unknown> => {
    try {
      for await (const { type } of await watch) if (type !== 'BOOKMARK') break;
      return undefined;
    } catch (error) {
      return error;
    }
  };
  try {
    return await Promise.race(watches.map(firstOf));
  } finally {
    stop.abort();
  }
}
