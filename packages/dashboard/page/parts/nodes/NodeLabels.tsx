import { groupLabels } from '../../decisions/nodes/labels.ts';

/** Labels; the hundreds of KubeVirt's node labeller are folded. */
export function NodeLabels({ labels }: { readonly labels: Readonly<Record<string, string>> | undefined }) {
  const { own, folded } = groupLabels(labels);
  return (
    <section className="card" aria-label="Labels">
      <h2>Labels</h2>
      <Chips texts={own} />
      {folded.map(({ title, labels: texts }) => (
        <details key={title} className="fold">
          <summary>
            {title} ({texts.length})
          </summary>
          <Chips texts={texts} />
        </details>
      ))}
    </section>
  );
}

function Chips({ texts }: { readonly texts: readonly string[] }) {
  return (
    <ul className="chips">
      {texts.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
}
