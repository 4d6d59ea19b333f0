import { Suspense, useMemo } from 'react';
import { type Vm, type Vmi, whole } from '../../data/kinds.ts';
import { type ConsoleRef, hasConsole } from '../../decisions/consoles/guest.ts';
import { instanceAlone, machineOf, vmiRow, vmRow } from '../../decisions/machine.ts';
import { lazyPart } from '../lazyPart.ts';
import { useCollection } from '../session.tsx';
import type { Place } from './PlaceLinks.tsx';

// Each when it is used: a terminal needs no VNC, and a screen no terminal.
const SerialView = lazyPart(() => import('./SerialView.tsx'));
const ScreenView = lazyPart(() => import('../screens/ScreenView.tsx'));

interface Props {
  readonly console: ConsoleRef;
  readonly place: Place;
  readonly onOutput?: () => void;
}

/** A console of a machine that is followed only for it. */
export function ConsolePane({ console, place, onOutput }: Props) {
  const { kind, namespace, name } = console;
  const one = `?fieldSelector=${encodeURIComponent(`metadata.name=${name}`)}`;
  const below = `/apis/kubevirt.io/v1/namespaces/${encodeURIComponent(namespace)}`;
  const vms = useCollection<Vm, Vm>(`${below}/virtualmachines${one}`, whole);
  const vmis = useCollection<Vmi, Vmi>(`${below}/virtualmachineinstances${one}`, whole);
  const vm = vms.rows[0];
  const vmi = vmis.rows[0];
  const isInstanceKnown = vmis.state.kind === 'live';
  const machine = useMemo(() => {
    const instance = vmi && vmiRow(vmi);
    return vm ? machineOf(vmRow(vm), instance, isInstanceKnown) : instance && instanceAlone(instance);
  }, [vm, vmi, isInstanceKnown]);
  if (!machine) {
    if (vms.state.kind === 'loading' || vmis.state.kind === 'loading') return <p className="muted">Loading…</p>;
    const refused = vms.state.kind === 'refused' ? vms.state.reason : undefined;
    return <p className="problem">{refused ?? `There is no machine ${name} in namespace ${namespace}.`}</p>;
  }
  const View = kind === 'serial' ? SerialView : ScreenView;
  return (
    <Suspense fallback={<p className="muted">Loading…</p>}>
      <View machine={machine} isThere={hasConsole(kind, vm, vmi)} place={place} onOutput={onOutput} />
    </Suspense>
  );
}
