import { FORM_PATHS } from '../../decisions/create/checks.ts';
import { knownImage, knownImages } from '../../decisions/create/images.ts';
import { vmNamespace } from '../../decisions/create/objects.ts';
import { readSize, withSize } from '../../decisions/create/size.ts';
import { readSource, type Source, type SourceKind, withSource } from '../../decisions/create/source.ts';
import { DATA_VOLUMES } from '../../decisions/features.ts';
import { useHas } from '../session.tsx';
import { Choice, type SectionProps, TextField } from './Field.tsx';
import { useOffers } from './offers.ts';
import { SourceFields } from './SourceFields.tsx';

interface Props extends SectionProps {
  readonly isVireo: boolean;
}

const KINDS: readonly (readonly [SourceKind, string])[] = [
  ['image', 'A container disk image'],
  ['dataSource', 'A DataSource, to clone'],
  ['clone', 'A volume, to clone'],
  ['volume', 'A volume, as it is'],
  ['url', 'An address to import from'],
  ['empty', 'An empty disk, with an install disc'],
];

/** Those that CDI makes a disk from. */
const WITH_CDI: readonly SourceKind[] = ['dataSource', 'clone', 'url', 'empty'];

/** What the machine boots from. */
export function SourceSection({ form, problemsAt, isVireo }: Props) {
  const source = readSource(form.objects.vm);
  const namespace = vmNamespace(form.objects);
  const images = useOffers('harvesterhci.io', 'v1beta1', 'virtualmachineimages', namespace);
  const known = knownImages(isVireo);
  const change = (next: Source): void =>
    form.edit((objects) => ({ ...objects, vm: withFitting(withSource(objects.vm, next), source, next) }));
  const begin = (kind: SourceKind): void => {
    const size = 'size' in source && source.size !== '' ? source.size : '10Gi';
    const [image] = known;
    const beginnings: Record<SourceKind, Source> = {
      image: { kind, image: image?.image ?? '', isKept: true, size: image?.disk ?? size } as Source,
      dataSource: { kind: 'dataSource', namespace, name: '', size: '' },
      clone: { kind: 'clone', namespace, claim: '', size: '' },
      volume: { kind: 'volume', claim: '' },
      url: { kind: 'url', url: '', size },
      empty: { kind: 'empty', size, disc: '' },
      harvester: { kind: 'harvester', image: '', size, storageClass: '' },
      other: source,
    };
    change(beginnings[kind]);
  };
  const hasCdi = useHas()(DATA_VOLUMES) !== false;
  const kinds = [
    ...KINDS.filter(([kind]) => hasCdi || kind === source.kind || !WITH_CDI.includes(kind)),
    ...(images.length > 0 || source.kind === 'harvester'
      ? [['harvester', 'A VirtualMachineImage of Harvester'] as const]
      : []),
    ...(source.kind === 'other' ? [['other', 'What the YAML says'] as const] : []),
  ];
  const problems = problemsAt(...FORM_PATHS.source);
  return (
    <fieldset disabled={form.broken !== undefined}>
      <legend>Boot from</legend>
      <Choice label="Source" value={source.kind} onChange={begin} options={kinds} problems={problems} />
      <SourceFields {...{ source, change, namespace, known, images }} />
      {'size' in source && (source.kind !== 'image' || source.isKept) && (
        <TextField
          label="Size of the disk"
          value={source.size}
          onChange={(size) => change({ ...source, size: size.trim() })}
          placeholder={source.kind === 'clone' || source.kind === 'dataSource' ? 'that of the source' : '10Gi'}
        />
      )}
    </fieldset>
  );
}

/** Another image needs other memory, unless somebody chose an amount. */
function withFitting(vm: ReturnType<typeof withSource>, before: Source, after: Source) {
  if (before.kind !== 'image' || after.kind !== 'image' || before.image === after.image) return vm;
  const size = readSize(vm);
  const next = knownImage(after.image);
  if (!next || size.kind !== 'own' || size.memory !== knownImage(before.image)?.memory) return vm;
  return withSize(vm, { ...size, memory: next.memory });
}
