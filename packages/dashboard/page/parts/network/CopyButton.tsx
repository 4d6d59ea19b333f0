import { useNotify } from '../Notices.tsx';

/** Copies a text; `what` says it to those who hear the page. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const notify = useNotify();
  const copy = (): void => {
    // Browsers have no clipboard on pages without TLS.
    if (!navigator.clipboard) {
      notify(`The browser does not let this page copy. Copy it by hand: ${what}`, { isError: true });
      return;
    }
    navigator.clipboard.writeText(text).then(
      () => notify(`Copied ${what}`),
      (error: unknown) =>
        notify(`${what} was not copied: ${error instanceof Error ? error.message : error}`, { isError: true }),
    );
  };
  return (
    <button type="button" className="plain copy" aria-label={`Copy ${what}`} title="Copy" onClick={copy}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        <path
          d="M5.5 5.5V2.5h8v8h-3M2.5 5.5h8v8h-8z"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.4"
          strokeLinejoin="round"
        />
      </svg>
    </button>
  );
}
