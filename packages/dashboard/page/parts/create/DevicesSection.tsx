import {
  type Card,
  type Disk,
  readCards,
  readDisks,
  readDrives,
  withCard,
  withDisk,
  withNewCard,
  withNewDisk,
  withNewDrive,
  withoutCard,
  withoutDisk,
} from '../../decisions/create/extras.ts';
import { INTERFACES, NETWORKS, vmNamespace } from '../../decisions/create/objects.ts';
import type { Mapping } from '../../decisions/yaml/values.ts';
import { Choice, type SectionProps, TextField } from './Field.tsx';
import { fullName, useOffers } from './offers.ts';

/** Disks beside the first, drives for discs, and network cards. */
export function DevicesSection({ form, problemsAt }: SectionProps) {
  const { objects, edit, broken } = form;
  const namespace = vmNamespace(objects);
  const claims = useOffers('', 'v1', 'persistentvolumeclaims', namespace)
    .filter(({ metadata }) => metadata.namespace === namespace)
    .map(({ metadata }) => metadata.name);
  const definitions = useOffers('k8s.cni.cncf.io', 'v1', 'network-attachment-definitions', namespace).map((each) =>
    each.metadata.namespace === namespace ? each.metadata.name : fullName(each),
  );
  const change = (by: (vm: Mapping) => Mapping): void => edit((all) => ({ ...all, vm: by(all.vm) }));
  const cards = readCards(objects.vm);
  const hasPod = cards.some(({ network }) => network === '');
  const [firstFree] = definitions;
  return (
    <fieldset disabled={broken !== undefined}>
      <legend>Disks and networks</legend>
      {readDisks(objects.vm).map((disk) => (
        <DiskRow key={disk.name} {...{ disk, claims, change }} />
      ))}
      {readDrives(objects.vm).map((name) => (
        <div key={name} className="device" role="group" aria-label={`CD-ROM drive ${name}`}>
          <p className="device-text">
            CD-ROM drive {name} <span className="muted">Empty. Insert discs while the machine runs.</span>
          </p>
          <button
            type="button"
            aria-label={`Remove CD-ROM drive ${name}`}
            onClick={() => change((vm) => withoutDisk(vm, name))}
          >
            Remove
          </button>
        </div>
      ))}
      {cards.map((card, index) => (
        <CardRow
          key={card.name}
          {...{ card, definitions, change }}
          problems={problemsAt([...INTERFACES, index], [...NETWORKS, index])}
        />
      ))}
      <div className="actions">
        <button type="button" onClick={() => change((vm) => withNewDisk(vm, { claim: '', size: '10Gi' }))}>
          Add a disk
        </button>
        <button type="button" onClick={() => change(withNewDrive)}>
          Add a CD-ROM drive
        </button>
        {(!hasPod || firstFree !== undefined) && (
          <button type="button" onClick={() => change((vm) => withNewCard(vm, hasPod ? (firstFree ?? '') : ''))}>
            Add a network
          </button>
        )}
      </div>
      {definitions.length === 0 && (
        <p className="field-hint">There are no NetworkAttachmentDefinitions to connect to.</p>
      )}
    </fieldset>
  );
}

type Change = (by: (vm: Mapping) => Mapping) => void;

function DiskRow({
  disk,
  claims,
  change,
}: {
  readonly disk: Disk;
  readonly claims: readonly string[];
  readonly change: Change;
}) {
  const { name, claim, size } = disk;
  return (
    <div className="device" role="group" aria-label={`Disk ${name}`}>
      <Choice
        label={`Disk ${name}`}
        value={claim}
        onChange={(next) => change((vm) => withDisk(vm, { name, claim: next, size: size || '10Gi' }))}
        options={[['', 'a new, empty volume'], ...claims.map((each) => [each, `volume ${each}`] as const)]}
      />
      {claim === '' && (
        <TextField
          label="Size"
          value={size}
          onChange={(next) => change((vm) => withDisk(vm, { name, claim, size: next.trim() }))}
        />
      )}
      <button type="button" aria-label={`Remove disk ${name}`} onClick={() => change((vm) => withoutDisk(vm, name))}>
        Remove
      </button>
    </div>
  );
}

interface CardProps {
  readonly card: Card;
  readonly definitions: readonly string[];
  readonly change: Change;
  readonly problems: readonly string[];
}

function CardRow({ card, definitions, change, problems }: CardProps) {
  const { name, network, binding } = card;
  return (
    <div className="device" role="group" aria-label={`Network ${name}`}>
      <Choice
        label={`Network ${name}`}
        value={network}
        onChange={(next) =>
          change((vm) => withCard(vm, { name, network: next, binding: next === '' ? 'masquerade' : 'bridge' }))
        }
        options={[['', 'pod network'], ...definitions.map((each) => [each, each] as const)]}
        problems={problems}
      />
      <Choice
        label="Connected by"
        value={binding}
        onChange={(next) => change((vm) => withCard(vm, { name, network, binding: next }))}
        options={[
          ...(network === '' ? [['masquerade', 'masquerade'] as const] : []),
          ['bridge', 'bridge'],
          ...(binding === 'other' ? [['other', 'what the YAML says'] as const] : []),
        ]}
      />
      <button type="button" aria-label={`Remove network ${name}`} onClick={() => change((vm) => withoutCard(vm, name))}>
        Remove
      </button>
    </div>
  );
}
