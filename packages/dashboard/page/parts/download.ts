/** Saves a text as a file of the user. */
export function download(fileName: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
  // Later: some browsers read the address only after the click.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
