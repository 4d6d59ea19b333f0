import { type KnownImage, knownImage } from '../../decisions/create/images.ts';
import type { Source } from '../../decisions/create/source.ts';
import { formatBytes } from '../../decisions/quantity.ts';
import { Choice, TextField } from './Field.tsx';
import { fullName, type Offer, splitName, useOffers } from './offers.ts';

interface Props {
  readonly source: Source;
  readonly change: (source: Source) => void;
  readonly namespace: string;
  readonly known: readonly KnownImage[];
  readonly images: readonly Offer[];
}

/** The fields of one kind of source. */
export function SourceFields(props: Props) {
  const { source, change } = props;
  switch (source.kind) {
    case 'image':
      return <ImageFields {...props} source={source} />;
    case 'volume':
    case 'clone':
      return <ClaimField {...props} source={source} />;
    case 'dataSource':
      return <DataSourceField {...props} source={source} />;
    case 'url':
      return (
        <TextField
          label="Address of the image"
          type="url"
          value={source.url}
          onChange={(url) => change({ ...source, url: url.trim() })}
          placeholder="https://example.com/debian.qcow2"
          hint="The server downloads it: qcow2 or raw, also compressed with gzip or xz."
        />
      );
    case 'empty':
      return (
        <TextField
          label="Install disc"
          value={source.disc}
          onChange={(disc) => change({ ...source, disc: disc.trim() })}
          placeholder="https://example.com/installer.iso"
          hint="The address of an ISO, or a container image with one. The machine boots it until the disk is installed."
        />
      );
    case 'harvester':
      return <HarvesterField {...props} source={source} />;
    case 'other':
      return <p className="field-hint">The form does not know this first disk. Change it in the YAML.</p>;
  }
}

type Of<Kind extends Source['kind']> = Props & { readonly source: Source & { readonly kind: Kind } };

function ImageFields({ source, change, known }: Of<'image'>) {
  const isOther = !known.some(({ image }) => image === source.image);
  const choose = (image: string): void => {
    const found = knownImage(image);
    change({ ...source, image, ...(found && source.isKept && { size: found.disk }) });
  };
  return (
    <>
      <Choice
        label="Image"
        value={isOther ? '' : source.image}
        onChange={choose}
        options={[...known.map(({ image, title }) => [image, title] as const), ['', 'another image…']]}
        hint={knownImage(source.image)?.login}
      />
      {isOther && (
        <TextField
          label="Reference"
          value={source.image}
          onChange={(image) => change({ ...source, image: image.trim() })}
          placeholder="quay.io/containerdisks/fedora:43"
        />
      )}
      <label className="check">
        <input
          type="checkbox"
          checked={source.isKept}
          onChange={(event) =>
            change({
              ...source,
              isKept: event.target.checked,
              size: source.size || knownImage(source.image)?.disk || '10Gi',
            })
          }
        />
        Keep the disk’s data when the machine stops
      </label>
    </>
  );
}

function ClaimField({ source, change, namespace }: Of<'volume' | 'clone'>) {
  const claims = useOffers('', 'v1', 'persistentvolumeclaims', namespace);
  const isClone = source.kind === 'clone';
  const usable = isClone ? claims : claims.filter(({ metadata }) => metadata.namespace === namespace);
  return (
    <TextField
      label="Volume"
      value={isClone && source.namespace !== namespace ? `${source.namespace}/${source.claim}` : source.claim}
      onChange={(text) => {
        const { namespace: from, name } = splitName(text.trim(), namespace);
        change(isClone ? { ...source, namespace: from, claim: name } : { ...source, claim: name });
      }}
      suggestions={usable.map((each) => (each.metadata.namespace === namespace ? each.metadata.name : fullName(each)))}
      hint={
        isClone
          ? 'It is copied; the original stays as it is.'
          : 'It is used itself, and stays when the machine is deleted.'
      }
    />
  );
}

function DataSourceField({ source, change, namespace }: Of<'dataSource'>) {
  const sources = useOffers('cdi.kubevirt.io', 'v1beta1', 'datasources', namespace);
  return (
    <TextField
      label="DataSource"
      value={source.namespace !== namespace ? `${source.namespace}/${source.name}` : source.name}
      onChange={(text) => {
        const { namespace: from, name } = splitName(text.trim(), namespace);
        change({ ...source, namespace: from, name });
      }}
      suggestions={sources.map((each) => (each.metadata.namespace === namespace ? each.metadata.name : fullName(each)))}
      hint={sources.length === 0 ? 'This server shows no DataSources.' : undefined}
    />
  );
}

function HarvesterField({ source, change, images }: Of<'harvester'>) {
  const choose = (id: string): void => {
    const status = images.find((each) => fullName(each) === id)?.status;
    const least = status?.virtualSize === undefined ? 0 : Math.ceil(status.virtualSize / 2 ** 30);
    change({ ...source, image: id, storageClass: status?.storageClassName ?? '', size: `${Math.max(least, 10)}Gi` });
  };
  const title = (each: Offer): string => {
    const bytes = each.status?.virtualSize;
    return `${each.spec?.displayName ?? each.metadata.name}${bytes === undefined ? '' : `, ${formatBytes(bytes)}`}`;
  };
  return (
    <Choice
      label="VirtualMachineImage"
      value={source.image}
      onChange={choose}
      options={images.map((each) => [fullName(each), title(each)] as const)}
    />
  );
}
