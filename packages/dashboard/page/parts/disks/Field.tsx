import { type ReactNode, useId } from 'react';

interface Props {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly children: (props: { readonly id: string; readonly 'aria-describedby'?: string }) => ReactNode;
}

/** A field of a form with its label and, where needed, a hint below. */
export function Field({ label, hint, children }: Props) {
  const id = useId();
  return (
    <div className="act-field">
      <label htmlFor={id}>{label}</label>
      {children({ id, ...(hint !== undefined && { 'aria-describedby': `${id}-hint` }) })}
      {hint !== undefined && (
        <small id={`${id}-hint`} className="muted">
          {hint}
        </small>
      )}
    </div>
  );
}
