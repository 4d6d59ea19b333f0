import { useEffect, useState } from 'react';
import type { KubeObject, Vm, Vmi } from '../../data/kinds.ts';
import { changedFields, changeText } from '../../decisions/disks/restartFields.ts';
import '../../styles/disks.css';
import { useSession } from '../session.tsx';

interface Revision extends KubeObject {
  readonly data?: { readonly spec?: Vm['spec'] };
}

/** Says that a restart is due, and which fields it would change. */
export function RestartMark({ vm, vmi }: { readonly vm: Vm; readonly vmi: Vmi | undefined }) {
  const condition = vm.status?.conditions?.find(({ type, status }) => type === 'RestartRequired' && status === 'True');
  const started = useStarted(condition ? vmi : undefined);
  if (!condition) return null;
  const template = vm.spec.template?.spec;
  const fields = vmi && started !== 'asking' ? changedFields(started, template, vmi.spec) : [];
  return (
    <details className="restart-mark">
      <summary className="small-mark">restart required</summary>
      <div className="card">
        {fields.length > 0 && (
          <>
            <p>A restart changes:</p>
            <ul>
              {fields.map((field) => (
                <li key={field.path}>
                  <code>{changeText(field)}</code>
                </li>
              ))}
            </ul>
          </>
        )}
        {condition.message && <p className="muted">{condition.message}</p>}
      </div>
    </details>
  );
}

/** What the guest was started with, from its revision; undefined where that cannot be read. */
function useStarted(vmi: Vmi | undefined): object | 'asking' | undefined {
  const { api } = useSession().session;
  const [started, setStarted] = useState<object | 'asking'>();
  const revision = vmi?.status?.virtualMachineRevisionName;
  const namespace = vmi?.metadata.namespace ?? '';
  useEffect(() => {
    setStarted(revision === undefined ? undefined : 'asking');
    if (revision === undefined) return;
    const stop = new AbortController();
    const path = `/apis/apps/v1/namespaces/${encodeURIComponent(namespace)}/controllerrevisions/${encodeURIComponent(revision)}`;
    api.request<Revision>('GET', path, undefined, stop.signal).then(
      ({ data }) => setStarted(data?.spec?.template?.spec),
      () => !stop.signal.aborted && setStarted(undefined),
    );
    return () => stop.abort();
  }, [api, namespace, revision]);
  return started;
}
