import { FORM_PATHS } from '../../decisions/create/checks.ts';
import { vmNamespace } from '../../decisions/create/objects.ts';
import {
  ownSize,
  type Reference,
  readPreference,
  readSize,
  type Size,
  withPreference,
  withSize,
} from '../../decisions/create/size.ts';
import { Choice, type SectionProps, TextField } from './Field.tsx';
import { type Offer, useOffers } from './offers.ts';

const GROUP = 'instancetype.kubevirt.io';

/** CPU and memory, by a type or by numbers. */
export function SizeSection({ form, problemsAt }: SectionProps) {
  const { objects, edit } = form;
  const namespace = vmNamespace(objects);
  const types = useReferences('VirtualMachineClusterInstancetype', 'VirtualMachineInstancetype', namespace);
  const preferences = useReferences('VirtualMachineClusterPreference', 'VirtualMachinePreference', namespace);
  const size = readSize(objects.vm);
  const preference = readPreference(objects.vm);
  const change = (next: Size): void => edit((all) => ({ ...all, vm: withSize(all.vm, next) }));
  return (
    <fieldset disabled={form.broken !== undefined}>
      <legend>Size</legend>
      <Choice
        label="Instance type"
        value={size.kind === 'own' ? '' : keyOf(size.type)}
        onChange={(key) => change(key === '' ? ownSize() : { kind: 'type', type: referenceOf(key) })}
        options={[['', 'none: CPU and memory below'], ...types]}
        problems={problemsAt(...FORM_PATHS.instancetype)}
      />
      {size.kind === 'own' && (
        <div className="field-pair">
          <TextField
            label="CPU cores"
            type="number"
            value={size.cores}
            onChange={(cores) => change({ ...size, cores })}
            problems={problemsAt(...FORM_PATHS.cpu)}
          />
          <TextField
            label="Memory"
            value={size.memory}
            onChange={(memory) => change({ ...size, memory: memory.trim() })}
            placeholder="1Gi"
            problems={problemsAt(...FORM_PATHS.memory)}
          />
        </div>
      )}
      {(preferences.length > 0 || preference) && (
        <Choice
          label="Preference"
          value={preference ? keyOf(preference) : ''}
          onChange={(key) =>
            edit((all) => ({ ...all, vm: withPreference(all.vm, key === '' ? undefined : referenceOf(key)) }))
          }
          options={[['', 'none'], ...preferences]}
          problems={problemsAt(...FORM_PATHS.preference)}
          hint="Devices and firmware that suit an operating system."
        />
      )}
    </fieldset>
  );
}

const keyOf = ({ kind, name }: Reference): string => `${kind}/${name}`;
const referenceOf = (key: string): Reference => {
  const [kind = '', name = ''] = key.split('/');
  return { kind, name };
};

/** Those of the cluster, and those of the namespace. */
function useReferences(clusterKind: string, kind: string, namespace: string): readonly (readonly [string, string])[] {
  const plural = (word: string): string => `${word.toLowerCase()}s`;
  const cluster = useOffers(GROUP, 'v1beta1', plural(clusterKind), '');
  const own = useOffers(GROUP, 'v1beta1', plural(kind), namespace).filter(
    (each) => each.metadata.namespace === namespace,
  );
  const option = (of: string, note: string) => (each: Offer) =>
    [`${of}/${each.metadata.name}`, `${each.metadata.name}${sizeText(each)}${note}`] as const;
  const byName = (a: readonly [string, string], b: readonly [string, string]): number =>
    a[1].localeCompare(b[1], undefined, { numeric: true });
  return [
    ...own.map(option(kind, ', of this namespace')).sort(byName),
    ...cluster.map(option(clusterKind, '')).sort(byName),
  ];
}

function sizeText({ spec }: Offer): string {
  const cpus = spec?.cpu?.guest;
  const memory = spec?.memory?.guest;
  return cpus === undefined || memory === undefined ? '' : `: ${cpus} CPU, ${memory}`;
}
