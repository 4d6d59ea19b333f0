import { useCallback, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import type { Vm, Vmi } from '../../data/kinds.ts';
import { choosePreferences } from '../../data/preferences.ts';
import { machinesFrom, type VmiRow, type VmRow, vmiRow, vmRow } from '../../decisions/machine.ts';
import { type Command, withRecent } from '../../decisions/palette.ts';
import '../../styles/palette.css';
import { useCollection, useHas, useMay, useSession } from '../session.tsx';
import { useActions } from '../useActions.tsx';
import { Palette } from './Palette.tsx';
import { useShortcuts } from './useShortcuts.ts';

const RECENT = 'vireo.recent';

interface Props {
  readonly onKeys: () => void;
  readonly onPickNamespace: () => void;
  readonly onTasks: () => void;
  readonly onLogOut: () => void;
}

/** The palette, the keys that lead to it and to pages, and what its commands do. */
export function PaletteHost({ onKeys, onPickNamespace, onTasks, onLogOut }: Props) {
  const { setNamespace } = useSession();
  const [isOpen, setOpen] = useState(false);
  const [recent, setRecent] = useState(readRecent);
  const [, navigate] = useLocation();
  const { begin, dialog } = useActions(useCallback(() => {}, []));
  const open = useCallback((): void => setOpen(true), []);
  useShortcuts(open, navigate);

  const run = ({ id, effect }: Command): void => {
    const next = withRecent(recent, id);
    setRecent(next);
    keepRecent(next);
    setOpen(false);
    if (effect.kind === 'go') navigate(effect.href);
    else if (effect.kind === 'act') begin(effect.action, [effect.machine]);
    else if (effect.kind === 'theme') choosePreferences({ theme: effect.theme });
    else if (effect.kind === 'namespace') setNamespace(effect.namespace);
    else if (effect.kind === 'pickNamespace') onPickNamespace();
    else if (effect.kind === 'tasks') onTasks();
    else if (effect.kind === 'keys') onKeys();
    else onLogOut();
  };
  return (
    <>
      <button type="button" className="palette-button" aria-keyshortcuts="Control+K Meta+K" onClick={open}>
        Commands <kbd>Ctrl K</kbd>
      </button>
      {isOpen && <OpenPalette recent={recent} onClose={() => setOpen(false)} onRun={run} />}
      {dialog}
    </>
  );
}

/** Machines are read only while somebody looks for them; most pages have them anyway. */
function OpenPalette(props: { recent: readonly string[]; onClose: () => void; onRun: (command: Command) => void }) {
  const { session, namespace } = useSession();
  const [address] = useLocation();
  const start = `/apis/kubevirt.io/v1/${namespace === undefined ? '' : `namespaces/${encodeURIComponent(namespace)}/`}`;
  const vms = useCollection<Vm, VmRow>(`${start}virtualmachines`, vmRow);
  const vmis = useCollection<Vmi, VmiRow>(`${start}virtualmachineinstances`, vmiRow);
  const areInstancesKnown = vmis.state.kind === 'live';
  const machines = useMemo(
    () => machinesFrom(vms.rows, vmis.rows, areInstancesKnown),
    [vms.rows, vmis.rows, areInstancesKnown],
  );
  const [, of = '', name = ''] = /^\/machines\/([^/]+)\/([^/]+)/.exec(address) ?? [];
  const current = machines.find((machine) => machine.namespace === of && machine.name === name);
  const may = useMay();
  const has = useHas();
  const { api } = session;
  const mayShowAll = session.namespace === undefined;
  const known = useMemo(
    () => ({ machines, current, may, has, namespace, mayShowAll, keysAt: api.keysAt }),
    [machines, current, may, has, namespace, mayShowAll, api],
  );
  return <Palette {...props} known={known} />;
}

/** For this tab only: names of machines do not stay behind in the browser. */
function readRecent(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(RECENT) ?? '[]');
    return Array.isArray(kept) ? kept.filter((each) => typeof each === 'string') : [];
  } catch {
    return [];
  }
}

function keepRecent(recent: readonly string[]): void {
  try {
    sessionStorage.setItem(RECENT, JSON.stringify(recent));
  } catch {
    // Storage may be forbidden; then nothing is recent on the next visit.
  }
}
