import { Fragment, useState } from 'react';
import type { Binding, Subject } from '../../data/accessKinds.ts';
import type { Source } from '../../decisions/access/abilities.ts';
import { withdrawal } from '../../decisions/access/grants.ts';
import { offerOf } from '../../decisions/offers.ts';
import { ConfirmDialog } from '../ConfirmDialog.tsx';
import { useNotify } from '../Notices.tsx';
import { OfferButton } from '../OfferButton.tsx';
import { useMay, useSession } from '../session.tsx';

interface Props {
  readonly subject: Subject;
  readonly sources: readonly Source[];
  readonly namespace: string;
  readonly bindings: readonly Binding[];
}

/** The bindings that somebody's rights come from; those of the namespace can be taken away. */
export function Sources({ subject, sources, namespace, bindings }: Props) {
  return (
    <ul className="sources">
      {sources.map(({ binding, role, isCluster }) => {
        const object = isCluster ? undefined : bindings.find(({ metadata }) => metadata.name === binding);
        return (
          <li key={`${isCluster} ${binding}`}>
            <span title={`${isCluster ? 'ClusterRoleBinding' : 'RoleBinding'} ${binding}`}>
              <Breakable name={role} />
            </span>
            {isCluster && <span className="muted">whole cluster</span>}
            {object && <Withdraw binding={object} subject={subject} namespace={namespace} />}
          </li>
        );
      })}
    </ul>
  );
}

/** Long names of roles may be broken at their colons: `system:controller:…`. */
const Breakable = ({ name }: { readonly name: string }) =>
  name.split(/(?<=:)/).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of a name may be alike
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));

interface WithdrawProps {
  readonly binding: Binding;
  readonly subject: Subject;
  readonly namespace: string;
}

function Withdraw({ binding, subject, namespace }: WithdrawProps) {
  const { api, rights } = useSession().session;
  const may = useMay();
  const notify = useNotify();
  const [isAsking, setAsking] = useState(false);
  const step = withdrawal(binding, subject);
  const offer = offerOf(
    may,
    { verb: step.kind, group: 'rbac.authorization.k8s.io', resource: 'rolebindings' },
    namespace,
  );
  const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/rolebindings/${encodeURIComponent(binding.metadata.name)}`;
  const take = async (): Promise<void> => {
    setAsking(false);
    try {
      if (step.kind === 'delete')
        await api.request('DELETE', path, { preconditions: { resourceVersion: binding.metadata.resourceVersion } });
      else await api.patch(path, step.operations);
      rights.forget();
      notify(`${subject.name} no longer has the role ${binding.roleRef.name} in ${namespace}.`);
    } catch (error) {
      notify(`Take away failed. ${error instanceof Error ? error.message : error}`, { isError: true });
    }
  };
  return (
    <>
      <OfferButton offer={offer} onClick={() => setAsking(true)} className="plain danger">
        Take away
        <span className="visually-hidden">
          {' '}
          {binding.roleRef.name} from {subject.name}
        </span>
      </OfferButton>
      {isAsking && (
        <ConfirmDialog
          title={`Take ${binding.roleRef.name} away from ${subject.name}?`}
          button="Take the role away"
          isDanger
          onCancel={() => setAsking(false)}
          onConfirm={() => void take()}
        >
          <p>
            {subject.kind} {subject.name} loses it in namespace {namespace}
            {step.kind === 'delete'
              ? `, and the RoleBinding ${binding.metadata.name} is deleted.`
              : '. Others of the binding keep it.'}
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
