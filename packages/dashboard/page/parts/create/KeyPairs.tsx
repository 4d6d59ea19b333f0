import { hasKey, type KeyPair, toggleKey } from '../../decisions/create/keys.ts';
import { fullName, useIsOffered, useOffered } from './offers.ts';

const KEY_PAIRS = { group: 'harvesterhci.io', version: 'v1beta1', resource: 'keypairs' };

const keyPairOf = ({ metadata: { name, namespace }, spec }: KeyPair): KeyPair => ({
  metadata: { name, ...(namespace !== undefined && { namespace }) },
  spec: { publicKey: spec?.publicKey ?? '' },
});

interface Props {
  readonly namespace: string;
  readonly keys: readonly string[];
  readonly onChange: (keys: string[]) => void;
}

/** Public keys that are known by name: Harvester's, where the server has them and the user may list them. */
export function KeyPairs(props: Props) {
  return useIsOffered(KEY_PAIRS, props.namespace) ? <Choices {...props} /> : null;
}

function Choices({ namespace, keys, onChange }: Props) {
  const pairs = useOffered<KeyPair>(
    KEY_PAIRS.group,
    KEY_PAIRS.version,
    KEY_PAIRS.resource,
    namespace,
    keyPairOf,
  ).filter(({ spec }) => spec?.publicKey);
  if (pairs.length === 0) return null;
  const titleOf = (pair: KeyPair): string =>
    pair.metadata.namespace === namespace ? pair.metadata.name : fullName(pair);
  return (
    <div className="key-pairs" role="group" aria-label="Key pairs">
      <p className="field-hint">Key pairs</p>
      {pairs
        .map((pair) => ({ title: titleOf(pair), key: pair.spec?.publicKey ?? '' }))
        .sort((a, b) => (a.title < b.title ? -1 : 1))
        .map(({ title, key }) => (
          <label key={title} className="check">
            <input type="checkbox" checked={hasKey(keys, key)} onChange={() => onChange(toggleKey(keys, key))} />
            {title}
          </label>
        ))}
    </div>
  );
}
