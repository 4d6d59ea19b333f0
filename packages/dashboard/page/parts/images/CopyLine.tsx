import { useNotify } from '../Notices.tsx';

/** A command to copy. */
export function CopyLine({ text }: { readonly text: string }) {
  const notify = useNotify();
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => notify('Copied.'),
      () => notify('The browser did not let the page copy: select the line and copy it.', { isError: true }),
    );
  };
  return (
    <div className="copy-line">
      <code>{text}</code>
      <button type="button" onClick={copy} aria-label={`Copy: ${text}`}>
        Copy
      </button>
    </div>
  );
}
