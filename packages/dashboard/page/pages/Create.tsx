import { Link, useLocation, useSearchParams } from 'wouter';
import { elsewhere } from '../decisions/create/checks.ts';
import { newMachine } from '../decisions/create/defaults.ts';
import { hintFor } from '../decisions/create/hint.ts';
import { vmName, vmNamespace } from '../decisions/create/objects.ts';
import { DevicesSection } from '../parts/create/DevicesSection.tsx';
import { FromAnother } from '../parts/create/FromAnother.tsx';
import { FromTemplate } from '../parts/create/FromTemplate.tsx';
import { LoginSection } from '../parts/create/LoginSection.tsx';
import { NameSection } from '../parts/create/NameSection.tsx';
import { RunSection } from '../parts/create/RunSection.tsx';
import { SizeSection } from '../parts/create/SizeSection.tsx';
import { SourceSection } from '../parts/create/SourceSection.tsx';
import { useCreating } from '../parts/create/useCreating.ts';
import type { DryRun } from '../parts/create/useDryRun.ts';
import { useIsVireo } from '../parts/create/useIsVireo.ts';
import { useMachineForm } from '../parts/create/useMachineForm.ts';
import { useNotify } from '../parts/Notices.tsx';
import { useSession } from '../parts/session.tsx';
import { useSchema } from '../parts/yaml/useSchema.ts';
import { YamlEditor } from '../parts/yaml/YamlEditor.tsx';
import '../styles/create.css';

/** A form for a new machine, with the YAML that it makes beside it. */
export default function CreatePage() {
  const isVireo = useIsVireo();
  // The default image depends on the server, and a form must not change under the hands.
  return isVireo === undefined ? null : <CreateForm isVireo={isVireo} />;
}

function CreateForm({ isVireo }: { readonly isVireo: boolean }) {
  const { namespace: chosen } = useSession();
  const [parameters] = useSearchParams();
  const [, navigate] = useLocation();
  const notify = useNotify();
  const schema = useSchema('kubevirt.io/v1', 'VirtualMachine');
  const form = useMachineForm(() => newMachine({ name: '', namespace: chosen ?? 'default', isVireo }));
  const { objects, broken, text } = form;
  const { problems, problemsAt, dryRun, isBusy, obstacle, submit } = useCreating(form, () => {
    notify(`Machine ${vmName(objects)} is created.`);
    navigate(`/machines/${vmNamespace(objects)}/${vmName(objects)}`);
  });
  const section = { form, problemsAt };
  return (
    <form
      className="create"
      aria-label="New machine"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        void submit();
      }}
    >
      <p className="crumbs">
        <Link href="/">Machines</Link> / new
      </p>
      <div className="page-head">
        <h1>Create a machine</h1>
        <span className="create-state muted" role="status">
          {isBusy ? 'Creating…' : stateText(dryRun)}
        </span>
        <button
          type="submit"
          className="primary"
          aria-disabled={obstacle !== undefined || isBusy}
          title={obstacle ?? 'Ctrl-Enter'}
        >
          Create {vmName(objects)}
          {obstacle && <span className="visually-hidden">: {obstacle}</span>}
        </button>
      </div>
      {broken === undefined && elsewhere(problems).length > 0 && (
        <div className="callout callout-err" role="alert">
          {elsewhere(problems).map(({ message }) => (
            <p key={message}>{message}</p>
          ))}
        </div>
      )}
      <FromAnother from={parameters.get('from')} objects={objects} load={form.load} />
      <FromTemplate objects={objects} load={form.load} />
      <div className="create-columns">
        <div className="create-form">
          <NameSection {...section} />
          <SourceSection {...section} isVireo={isVireo} />
          <SizeSection {...section} />
          <DevicesSection {...section} />
          <LoginSection {...section} />
          <RunSection {...section} />
        </div>
        <div className="create-yaml">
          {broken !== undefined && (
            <div className="callout callout-err" role="alert">
              <strong>The YAML cannot be read.</strong> {broken}
              <p className="muted">The form keeps what it has, and works again once the text is mended.</p>
            </div>
          )}
          <YamlEditor
            label="YAML of the new machine"
            value={text}
            onChange={form.type}
            schema={schema}
            problems={problems}
          />
          <p className="field-hint">
            The same from a terminal: <code>{hintFor(objects)}</code>
          </p>
        </div>
      </div>
    </form>
  );
}

const stateText = (state: DryRun['state']): string =>
  state === 'asking' ? 'Asking the server…' : state === 'accepted' ? 'The server would accept this.' : '';
