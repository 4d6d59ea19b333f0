import { useState } from 'react';
import type { Vm } from '../../data/kinds.ts';
import type { NetworkDefinition } from '../../data/networkKinds.ts';
import { freeName, nameProblem } from '../../decisions/disks/offers.ts';
import type { Machine } from '../../decisions/machine.ts';
import { addCard, macProblem } from '../../decisions/network/changes.ts';
import { ActDialog } from '../disks/ActDialog.tsx';
import { Field } from '../disks/Field.tsx';
import { useChange } from '../disks/useChange.ts';
import { useCollection } from '../session.tsx';

interface Props {
  readonly machine: Machine;
  readonly vm: Vm;
  readonly taken: readonly string[];
  readonly onClose: () => void;
}

const nameOf = ({ metadata }: NetworkDefinition): string => metadata.name;

/** Plugs a card in, on a network of a NetworkAttachmentDefinition. */
export function AddCardDialog({ machine, vm, taken, onClose }: Props) {
  const change = useChange();
  const definitions = useCollection<NetworkDefinition, string>(
    `/apis/k8s.cni.cncf.io/v1/namespaces/${encodeURIComponent(machine.namespace)}/network-attachment-definitions`,
    nameOf,
  );
  const [network, setNetwork] = useState('');
  const [given, setName] = useState<string>();
  const [model, setModel] = useState('virtio');
  const [mac, setMac] = useState('');
  const name = given ?? (network ? freeName(network, taken) : '');
  const isRefused = definitions.state.kind === 'refused';
  const problem = (network ? undefined : 'Choose a network.') ?? nameProblem(name, taken) ?? macProblem(mac);
  const act = () =>
    change(addCard(machine, vm, { name, network, model, mac }), {
      title: `Plug ${name} into ${machine.name}`,
      done: machine.hasInstance ? `${name} is being plugged in.` : `${machine.name} has ${name} when it starts.`,
      href: `/machines/${machine.namespace}/${machine.name}/network`,
    });
  return (
    <ActDialog
      title={`Plug a card into ${machine.name}`}
      button="Plug in the card"
      problem={problem}
      isForm
      onClose={onClose}
      onAct={act}
    >
      <Field label="Network" hint={hintOf(definitions.state, definitions.rows.length)}>
        {(props) =>
          isRefused ? (
            <input
              {...props}
              data-autofocus
              value={network}
              autoComplete="off"
              onChange={(event) => setNetwork(event.target.value.trim())}
            />
          ) : (
            <select {...props} data-autofocus value={network} onChange={(event) => setNetwork(event.target.value)}>
              <option value="">Choose…</option>
              {[...definitions.rows].sort().map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          )
        }
      </Field>
      <div className="act-pair">
        <Field label="Name">
          {(props) => (
            <input {...props} value={name} autoComplete="off" onChange={(event) => setName(event.target.value)} />
          )}
        </Field>
        <Field label="Model">
          {(props) => (
            <select {...props} value={model} onChange={(event) => setModel(event.target.value)}>
              <option>virtio</option>
              <option>e1000e</option>
            </select>
          )}
        </Field>
      </div>
      <Field label="MAC address (optional)" hint="Empty: the server makes one that stays.">
        {(props) => (
          <input
            {...props}
            value={mac}
            placeholder="02:00:00:00:00:01"
            autoComplete="off"
            onChange={(event) => setMac(event.target.value.trim())}
          />
        )}
      </Field>
    </ActDialog>
  );
}

function hintOf(state: ReturnType<typeof useCollection>['state'], count: number): string | undefined {
  if (state.kind === 'refused')
    return state.code === 404
      ? 'This server has no NetworkAttachmentDefinitions.'
      : `Networks cannot be listed; type the name of a NetworkAttachmentDefinition. ${state.reason}`;
  if (state.kind === 'live' && count === 0)
    return 'The namespace has no NetworkAttachmentDefinition. An administrator makes them.';
  return 'A NetworkAttachmentDefinition of the namespace, with the binding bridge.';
}
