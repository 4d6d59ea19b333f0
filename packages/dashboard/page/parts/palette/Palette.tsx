import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { type Command, candidates, type Known, ranked } from '../../decisions/palette.ts';

interface Props {
  readonly known: Known;
  readonly recent: readonly string[];
  readonly onClose: () => void;
  readonly onRun: (command: Command) => void;
}

/** A list of commands that narrows while one types. The focus stays in the box; arrow keys choose in the list. */
export function Palette({ known, recent, onClose, onRun }: Props) {
  const [text, setText] = useState('');
  const [index, setIndex] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  const listId = useId();
  const found = useMemo(() => ranked(candidates(text, known), text, recent), [text, known, recent]);
  const chosen = Math.min(index, found.length - 1);

  // Before the element goes, so that the browser gives the focus back.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  useEffect(() => {
    dialog.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  });

  const run = (command: Command | undefined): void => {
    if (command && command.reason === undefined) onRun(command);
  };
  const onKey = (event: KeyboardEvent): void => {
    const last = found.length - 1;
    const next = { ArrowDown: chosen >= last ? 0 : chosen + 1, ArrowUp: chosen <= 0 ? last : chosen - 1 }[event.key];
    if (next !== undefined) setIndex(next);
    else if (event.key === 'Enter') run(found[chosen]);
    else return;
    event.preventDefault();
  };

  return (
    <dialog
      ref={dialog}
      className="palette"
      aria-label="Commands"
      onCancel={onClose}
      onPointerDown={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={found[chosen] ? `${listId}-${chosen}` : undefined}
        aria-autocomplete="list"
        aria-label="Find a page, a machine or a command"
        placeholder="Find a page, a machine or a command: stop web"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setIndex(0);
        }}
        onKeyDown={onKey}
      />
      <div className="palette-list" id={listId} role="listbox" aria-label="Commands">
        {found.map((command, at) => (
          <Option
            key={command.id}
            id={`${listId}-${at}`}
            command={command}
            isChosen={at === chosen}
            onPoint={() => setIndex(at)}
            onRun={() => run(command)}
          />
        ))}
      </div>
      <p className="muted palette-count" role="status">
        {found.length === 0 ? `Nothing is called “${text}”.` : ''}
      </p>
    </dialog>
  );
}

interface OptionProps {
  readonly id: string;
  readonly command: Command;
  readonly isChosen: boolean;
  readonly onPoint: () => void;
  readonly onRun: () => void;
}

function Option({ id, command, isChosen, onPoint, onRun }: OptionProps) {
  const { title, hint, reason } = command;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the box, which keeps the focus
    <div
      id={id}
      role="option"
      className="palette-option"
      aria-selected={isChosen}
      aria-disabled={reason !== undefined}
      onPointerMove={onPoint}
      onClick={onRun}
    >
      <span className="palette-title">{title}</span>
      <span className="palette-hint">{reason ?? hint}</span>
    </div>
  );
}
