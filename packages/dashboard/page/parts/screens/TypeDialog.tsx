import { type FormEvent, useMemo, useState } from 'react';
import { isLayout, LAYOUT_NAMES, LAYOUTS } from '../../decisions/screens/layouts.ts';
import {
  bytesIn,
  EVENT_MS,
  MOST_TYPED_BYTES,
  SLOW_EVENT_MS,
  showCharacter,
  typingOf,
} from '../../decisions/screens/typing.ts';
import { useRemembered } from '../consoles/remembered.ts';
import { Dialog } from '../Dialog.tsx';
import type { Progress, useTyping } from './useTyping.ts';

interface Props {
  readonly hands: ReturnType<typeof useTyping>;
  readonly isConnected: boolean;
  readonly onClose: () => void;
}

/** Types a text on the keyboard of the guest: screens have no clipboard that every guest knows. */
export function TypeDialog({ hands: { progress, type, stop }, isConnected, onClose }: Props) {
  const [text, setText] = useState('');
  const [stored, store] = useRemembered('layout', 'us');
  const [pace, setPace] = useRemembered('pace', 'normal');
  const layout = isLayout(stored) ? stored : 'us';
  const typing = useMemo(() => typingOf(text, layout), [text, layout]);
  const bytes = bytesIn(text);
  const isTyping = progress?.state === 'typing';
  const obstacle = obstacleOf(bytes, typing.count, isConnected);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isTyping && obstacle === undefined) type(typing, pace === 'slow' ? SLOW_EVENT_MS : EVENT_MS);
  };
  const close = (): void => {
    stop();
    onClose();
  };
  return (
    <Dialog title="Type text" onClose={close}>
      <form className="type-form" onSubmit={submit}>
        <label htmlFor="type-text">Paste or write what to type</label>
        <textarea
          id="type-text"
          data-autofocus
          rows={5}
          value={text}
          readOnly={isTyping}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => setText(event.target.value)}
        />
        <div className="type-options">
          <label>
            Keyboard of the guest
            <select value={layout} disabled={isTyping} onChange={(event) => store(event.target.value)}>
              {LAYOUT_NAMES.map((name) => (
                <option key={name} value={name}>
                  {LAYOUTS[name].title}
                </option>
              ))}
            </select>
          </label>
          <label>
            Speed
            <select value={pace} disabled={isTyping} onChange={(event) => setPace(event.target.value)}>
              <option value="normal">Normal</option>
              <option value="slow">Slow</option>
            </select>
          </label>
        </div>
        <p className="muted type-hint">Slow is for emulated guests and firmware, which lose keys that come too fast.</p>
        {typing.untypable.length > 0 && (
          <p className="problem">
            This keyboard cannot type, so left out: {typing.untypable.slice(0, 30).map(showCharacter).join(' ')}
            {typing.untypable.length > 30 && ` and ${typing.untypable.length - 30} more`}
          </p>
        )}
        {progress && <TypeProgress progress={progress} />}
        <div className="dialog-buttons">
          <button type="button" onClick={close}>
            Close
          </button>
          {isTyping ? (
            // Not the element that submits: the click that stops would begin anew.
            <button key="stop" type="button" className="danger" onClick={stop}>
              Stop
            </button>
          ) : (
            <button
              key="type"
              type="submit"
              className="primary"
              aria-disabled={obstacle !== undefined}
              title={obstacle}
            >
              Type {typing.count} {typing.count === 1 ? 'character' : 'characters'}
            </button>
          )}
        </div>
        {obstacle && text !== '' && <p className="problem">{obstacle}</p>}
      </form>
    </Dialog>
  );
}

function obstacleOf(bytes: number, count: number, isConnected: boolean): string | undefined {
  if (!isConnected) return 'The screen is not connected.';
  if (bytes > MOST_TYPED_BYTES) return `At most ${MOST_TYPED_BYTES} bytes can be typed; these are ${bytes}.`;
  return count === 0 ? 'There is nothing to type.' : undefined;
}

const ENDS = {
  typing: 'Typing',
  done: 'Typed',
  stopped: 'Stopped after',
  cut: 'The connection was lost after',
} as const;

function TypeProgress({ progress: { typed, count, state } }: { readonly progress: Progress }) {
  return (
    <div className="type-progress">
      <progress value={typed} max={count} aria-label="Typed" />
      <span role="status">
        {ENDS[state]} {typed} of {count}
      </span>
    </div>
  );
}
