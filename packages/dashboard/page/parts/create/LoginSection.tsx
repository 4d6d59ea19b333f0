import { useState } from 'react';
import { knownImage } from '../../decisions/create/images.ts';
import { keysIn, withKeys } from '../../decisions/create/keys.ts';
import {
  isUserDataElsewhere,
  type Login,
  loginIn,
  readUserData,
  userDataFor,
  userDataProblem,
  userDataSecret,
  withUserData,
} from '../../decisions/create/login.ts';
import { vmNamespace } from '../../decisions/create/objects.ts';
import { readSource } from '../../decisions/create/source.ts';
import { Choice, Field, type SectionProps, TextField } from './Field.tsx';
import { KeyPairs } from './KeyPairs.tsx';

const NOBODY: Login = { user: '', keys: [], password: '' };

/** Who can log in, and what the guest does when it first starts: cloud-init. */
export function LoginSection({ form }: SectionProps) {
  const { objects, edit, broken } = form;
  const [isOwnWanted, setOwnWanted] = useState(false);
  const userData = readUserData(objects) ?? '';
  const login = loginIn(userData);
  const isOwn = isOwnWanted || login === undefined;
  const change = (text: string): void => edit((all) => withUserData(all, text));
  if (isUserDataElsewhere(objects))
    return (
      <fieldset disabled={broken !== undefined}>
        <legend>Login and start-up</legend>
        <p className="field-hint">
          {userDataSecret(objects) === ''
            ? 'The YAML has start-up data in a form that only the YAML changes.'
            : `Start-up data comes from Secret ${userDataSecret(objects)}, which this namespace must have.`}
        </p>
        <div className="actions">
          <button type="button" onClick={() => change('')}>
            Write it here instead
          </button>
        </div>
      </fieldset>
    );
  return (
    <fieldset disabled={broken !== undefined}>
      <legend>Login and start-up</legend>
      <Choice
        label="Start-up data"
        value={isOwn ? 'own' : 'login'}
        onChange={(mode) => {
          setOwnWanted(mode === 'own');
          if (mode === 'own' && userData === '') change('#cloud-config\n');
          if (mode === 'login' && (login === undefined || userDataFor(login) !== userData)) change('');
        }}
        options={[
          ['login', 'a user, SSH keys, a password'],
          ['own', 'own user data'],
        ]}
      />
      {isOwn ? (
        <OwnUserData namespace={vmNamespace(objects)} userData={userData} change={change} />
      ) : (
        <LoginFields form={form} login={login ?? NOBODY} change={change} />
      )}
      {objects.secret && <p className="field-hint">It is stored in a Secret, which is deleted with the machine.</p>}
    </fieldset>
  );
}

interface OwnProps {
  readonly namespace: string;
  readonly userData: string;
  readonly change: (text: string) => void;
}

function OwnUserData({ namespace, userData, change }: OwnProps) {
  const problem = userDataProblem(userData);
  const keys = problem === undefined ? keysIn(userData) : undefined;
  return (
    <>
      <Field
        label="User data"
        problems={problem ? [problem] : []}
        hint="A #cloud-config, or a script that starts with #!."
      >
        {(attributes) => (
          <textarea
            {...attributes}
            rows={8}
            value={userData}
            onChange={(event) => change(event.target.value)}
            spellCheck={false}
          />
        )}
      </Field>
      {keys && <KeyPairs namespace={namespace} keys={keys} onChange={(next) => change(withKeys(userData, next))} />}
    </>
  );
}

interface FieldsProps {
  readonly form: SectionProps['form'];
  readonly login: Login;
  readonly change: (text: string) => void;
}

function LoginFields({ form, login, change }: FieldsProps) {
  const source = readSource(form.objects.vm);
  const image = source.kind === 'image' ? knownImage(source.image) : undefined;
  const set = (part: Partial<Login>): void => change(userDataFor({ ...login, ...part }));
  // Blank lines are what somebody is about to fill; they are no keys.
  const [keysText, setKeysText] = useState(login.keys.join('\n'));
  const linesOf = (text: string): string[] =>
    text
      .split('\n')
      .map((key) => key.trim())
      .filter(Boolean);
  const shown = linesOf(keysText).join('\n') === login.keys.join('\n') ? keysText : login.keys.join('\n');
  const wrong = login.keys.filter((key) => !/^(ssh-|ecdsa-|sk-)\S+ \S+/.test(key));
  const isClosed = login.keys.length === 0 && login.password === '' && image?.login === undefined;
  return (
    <>
      <TextField
        label="User"
        value={login.user}
        onChange={(user) => set({ user: user.trim() })}
        placeholder={image?.user ?? 'the image’s own'}
      />
      <Field
        label="SSH keys"
        problems={wrong.map(
          (key) => `“${key.slice(0, 24)}” is not a public key: it begins with ssh-ed25519 or the like.`,
        )}
        hint="Public keys, one per line."
      >
        {(attributes) => (
          <textarea
            {...attributes}
            rows={3}
            value={shown}
            onChange={(event) => {
              setKeysText(event.target.value);
              set({ keys: linesOf(event.target.value) });
            }}
            spellCheck={false}
          />
        )}
      </Field>
      <KeyPairs namespace={vmNamespace(form.objects)} keys={login.keys} onChange={(keys) => set({ keys })} />
      <TextField
        label="Password"
        type="password"
        value={login.password}
        onChange={(password) => set({ password })}
        hint={isClosed ? 'Without a key or a password nobody may be able to log in.' : undefined}
      />
    </>
  );
}
