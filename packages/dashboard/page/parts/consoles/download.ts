/** Saves something as a file of the user. */
export function download(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has taken it by then.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** `web-2026-08-01T10-30-00.png`, in the reader's own time. */
export function fileName(machine: string, ending: string, now = new Date()): string {
  const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000);
  return `${machine}-${local.toISOString().slice(0, 19).replaceAll(':', '-')}.${ending}`;
}
