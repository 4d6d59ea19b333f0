import { useCallback, useDeferredValue, useMemo, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import type { Vm, Vmi } from '../data/kinds.ts';
import { isMeasured, type Machine, type VmiRow, type VmRow, vmiRow, vmRow } from '../decisions/machine.ts';
import { MachineList } from '../decisions/machineList.ts';
import { parseSearch } from '../decisions/search.ts';
import { orderText, parseOrder } from '../decisions/sorting.ts';
import { ActionButtons } from '../parts/ActionButtons.tsx';
import { UsageContext, useUsageStore, useUsageVersion } from '../parts/charts/useFigures.ts';
import { CreateLinkWithKey } from '../parts/create/CreateLink.tsx';
import { EmptyList, InstanceProblem, ListProblem } from '../parts/ListStates.tsx';
import { MachineTable } from '../parts/MachineTable.tsx';
import { OfferButton } from '../parts/OfferButton.tsx';
import { SearchBox } from '../parts/SearchBox.tsx';
import { useCollection, useSession } from '../parts/session.tsx';
import { useActions } from '../parts/useActions.tsx';
import { useConsoles } from '../parts/useConsoles.ts';

const collectionPath = (namespace: string | undefined, resource: string): string =>
  `/apis/kubevirt.io/v1/${namespace === undefined ? '' : `namespaces/${encodeURIComponent(namespace)}/`}${resource}`;

/** All machines that the user can see, live. */
export function MachinesPage() {
  const { namespace } = useSession();
  const vms = useCollection<Vm, VmRow>(collectionPath(namespace, 'virtualmachines'), vmRow);
  const vmis = useCollection<Vmi, VmiRow>(collectionPath(namespace, 'virtualmachineinstances'), vmiRow);
  const [parameters, setParameters] = useSearchParams();
  const [, navigate] = useLocation();
  const search = parameters.get('q') ?? '';
  const order = parseOrder(parameters.get('sort'));
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());

  const [list] = useState(() => new MachineList());
  const isListing = vms.state.kind === 'loading';
  const areInstancesKnown = vmis.state.kind === 'live';
  const machines = useMemo(() => {
    const all = list.pair(vms.rows, vmis.rows, areInstancesKnown);
    // Instances of VMs that are still to come are not without a VM.
    return isListing ? all.filter(({ isVm }) => isVm) : all;
  }, [list, vms.rows, vmis.rows, areInstancesKnown, isListing]);
  const deferred = useDeferredValue(search);
  const terms = useMemo(() => parseSearch(deferred), [deferred]);
  const { column, isDescending } = order;
  const usage = useUsageStore(namespace);
  const version = useUsageVersion(usage, column === 'use');
  const shown = useMemo(() => {
    const coresOf = (machine: Machine) => (isMeasured(machine) ? usage.get(machine.key)?.figures.cpuCores : undefined);
    return list.show(machines, terms, { column, isDescending }, { version, coresOf });
  }, [list, machines, terms, column, isDescending, usage, version]);
  // Nothing that a filter hides is acted on.
  const chosen = useMemo(
    () => (selected.size === 0 ? [] : shown.filter(({ key }) => selected.has(key))),
    [shown, selected],
  );
  const clear = useCallback((): void => setSelected(new Set()), []);
  const { begin, askedOf, dialog } = useActions(clear);
  const consoles = useConsoles();

  const set = (name: string, value: string): void =>
    setParameters(
      (before) => {
        const next = new URLSearchParams(before);
        if (value === '') next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );

  const isLoading = isListing && machines.length === 0;
  const isStale = vms.state.kind === 'waiting' || vmis.state.kind === 'waiting';
  return (
    <section className="machines" aria-label="Machines">
      <div className="page-head">
        <h1>Machines</h1>
        <span className="muted" role="status">
          {isLoading ? '' : countText(shown.length, machines.length)}
          {isListing && !isLoading && ' so far…'}
        </span>
        <SearchBox value={search} onChange={(text) => set('q', text)} />
        <CreateLinkWithKey />
      </div>
      <div className="toolbar">
        <ActionButtons machines={chosen} onAction={(action) => begin(action, chosen)}>
          {consoles.isServed && (
            <OfferButton offer={consoles.offerFor(chosen)} onClick={() => consoles.open(chosen)}>
              Console
            </OfferButton>
          )}
        </ActionButtons>
        <span className="muted" role="status">
          {chosen.length > 0 && `${chosen.length} selected`}
        </span>
      </div>
      <ListProblem state={vms.state} hasRows={machines.length > 0} />
      <InstanceProblem vms={vms.state} instances={vmis.state} />
      {shown.length > 0 || isLoading ? (
        <UsageContext value={usage}>
          <MachineTable
            machines={shown}
            isListing={isListing || vmis.state.kind === 'loading'}
            isStale={isStale}
            withNamespace={namespace === undefined}
            order={order}
            onOrder={(next) => set('sort', orderText(next))}
            selected={selected}
            onSelect={setSelected}
            askedOf={askedOf}
            onAction={begin}
            onOpen={(machine) => navigate(`/machines/${machine.namespace}/${machine.name}`)}
          />
        </UsageContext>
      ) : (
        vms.state.kind !== 'refused' && <EmptyList search={search} onClear={() => set('q', '')} namespace={namespace} />
      )}
      {dialog}
    </section>
  );
}

const countText = (shown: number, all: number): string =>
  shown === all ? `${all} ${all === 1 ? 'machine' : 'machines'}` : `${shown} of ${all} machines`;
