import { useId } from 'react';
import { choosePreferences } from '../../data/preferences.ts';
import { type Preferences, THEMES } from '../../decisions/preferences.ts';
import { formatTime } from '../../decisions/times.ts';
import { useNow } from '../session.tsx';
import { usePreferences } from '../usePreferences.ts';

type Flag = Exclude<keyof Preferences, 'theme'>;

/** What this browser remembers. It counts at once. */
export function PageSettings() {
  const chosen = usePreferences();
  const now = useNow(1_000);
  const field = useId();
  const flag = (name: Flag, title: string, help: string) => (
    <label>
      <input
        type="checkbox"
        checked={chosen[name]}
        onChange={(event) => choosePreferences({ [name]: event.target.checked })}
      />
      <span>
        {title} <span className="muted">{help}</span>
      </span>
    </label>
  );
  return (
    <section className="card" aria-label="This page">
      <div className="preferences">
        <div className="field">
          <label htmlFor={field}>Theme</label>
          <select
            id={field}
            value={chosen.theme}
            onChange={(event) =>
              choosePreferences({ theme: THEMES.find((each) => each === event.target.value) ?? 'system' })
            }
          >
            {THEMES.map((theme) => (
              <option key={theme}>{theme}</option>
            ))}
          </select>
        </div>
        <fieldset className="choices">
          <legend className="visually-hidden">Choices</legend>
          {flag('isUtc', 'Times in UTC', `It is ${formatTime(new Date(now).toISOString())}.`)}
          {flag('hasLetterKeys', 'Shortcuts of one letter', 'such as / for search and j, k for rows.')}
          {flag('isDense', 'Dense rows', 'Lists show more at once.')}
        </fieldset>
        <p className="muted">Kept in this browser only.</p>
      </div>
    </section>
  );
}
