import { Suspense } from 'react';
import { Link, useLocation } from 'wouter';
import { isServed, KUBEVIRTS } from '../decisions/features.ts';
import { useHas } from '../parts/session.tsx';
import { Gates } from '../parts/settings/Gates.tsx';
import { KubeVirtFacts } from '../parts/settings/KubeVirtFacts.tsx';
import { KubeVirtForm } from '../parts/settings/KubeVirtForm.tsx';
import { PageSettings } from '../parts/settings/PageSettings.tsx';
import { useKubeVirt } from '../parts/settings/useKubeVirt.ts';
import { Unreadable } from '../parts/Unreadable.tsx';
import '../styles/cluster.css';
import '../styles/settings.css';
import { lazyPart } from '../parts/lazyPart.ts';

const ObjectEditor = lazyPart(async () => ({ default: (await import('../parts/yaml/ObjectEditor.tsx')).ObjectEditor }));

const TABS = [
  ['', 'This page'],
  ['/kubevirt', 'KubeVirt'],
  ['/gates', 'Feature gates'],
  ['/yaml', 'YAML'],
] as const;

/** How this page looks, and how KubeVirt is set up. */
export default function SettingsPage() {
  const [address] = useLocation();
  const tab = TABS.find(([path]) => path !== '' && address === `/settings${path}`)?.[0] ?? '';
  const { rows, state } = useKubeVirt();
  const kubeVirt = rows[0];
  const has = useHas();
  const tabs = TABS.filter(([path]) => path === '' || path === tab || isServed(has, [KUBEVIRTS]));
  return (
    <section aria-label="Settings">
      <div className="page-head">
        <h1>Settings</h1>
      </div>
      <nav className="tabs" aria-label="Kinds of settings">
        {tabs.map(([path, title]) => (
          <Link key={path} href={`/settings${path}`} aria-current={tab === path ? 'page' : undefined}>
            {title}
          </Link>
        ))}
      </nav>
      {tab === '' && <PageSettings />}
      {tab !== '' && !kubeVirt && (
        <Unreadable
          state={state}
          what="KubeVirt settings"
          remedy="Ask an administrator for the role kubevirt.io:view."
        />
      )}
      {tab !== '' && !kubeVirt && state.kind === 'live' && (
        <p className="callout">There is no KubeVirt object: KubeVirt is not installed, or not configured yet.</p>
      )}
      {tab === '/kubevirt' && kubeVirt && (
        <div className="stack">
          <KubeVirtFacts kubeVirt={kubeVirt} />
          <KubeVirtForm kubeVirt={kubeVirt} />
        </div>
      )}
      {tab === '/gates' && kubeVirt && <Gates kubeVirt={kubeVirt} />}
      {tab === '/yaml' && kubeVirt && (
        <Suspense fallback={<p className="muted">Loading…</p>}>
          <ObjectEditor object={{ apiVersion: 'kubevirt.io/v1', kind: 'KubeVirt', ...kubeVirt }} resource="kubevirts" />
        </Suspense>
      )}
    </section>
  );
}
