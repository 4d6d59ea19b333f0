import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';

interface Props {
  readonly title: string;
  /** Undefined: Esc does not close it. */
  readonly onClose: (() => void) | undefined;
  readonly children: ReactNode;
}

/** A modal dialog. The browser keeps the focus in it and gives it back; it begins at what has `data-autofocus`. */
export function Dialog({ title, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // Before the element goes, so that the browser gives the focus back.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    element?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      onCancel={(event) => (onClose ? onClose() : event.preventDefault())}
      onClose={({ currentTarget }) => {
        // Browsers close a dialog at a second Esc, whatever the page says.
        if (!onClose && currentTarget.isConnected) currentTarget.showModal();
      }}
    >
      <h2 id={titleId}>{title}</h2>
      {children}
    </dialog>
  );
}
