import { exampleOf } from '../../decisions/sets/examples.ts';
import type { SetKind } from '../../decisions/sets/set.ts';
import { CopyButton } from '../network/CopyButton.tsx';
import { useIsVireo } from '../settings/useKubeVirt.ts';

interface Props {
  readonly kinds: readonly SetKind[];
  readonly namespace: string | undefined;
}

/** Manifests of sets to begin with. */
export function Examples({ kinds, namespace }: Props) {
  const isVireo = useIsVireo();
  return (
    <div className="set-examples">
      {kinds.map((kind) => {
        const text = exampleOf(kind, { namespace, isVireo });
        return (
          <details key={kind.id} open={kinds.length === 1}>
            <summary>A {kind.title}</summary>
            <div className="set-example">
              <pre tabIndex={0} role="region" aria-label={`Manifest of a ${kind.title}`}>
                <code>{text}</code>
              </pre>
              <CopyButton text={text} what={`the manifest of a ${kind.title}`} />
            </div>
          </details>
        );
      })}
    </div>
  );
}
