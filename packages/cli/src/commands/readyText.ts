import { machines } from './shutdownText.ts';

/** What `vireo up` says once the server can be used: lines to paste. */
export function readyText(server: { port: number; kubeconfig: string; home: string; duration: string }): string {
  return `
Vireo is ready after ${server.duration}. The Kubernetes API is at https://127.0.0.1:${server.port}

  export KUBECONFIG=${shellWord(server.kubeconfig)}
  kubectl get namespaces

Stop it with Ctrl-C or: vireo down --home ${shellWord(server.home)}`;
}

/** What is said at the end of a server whose guests do not end with it. */
export function goOnText(guests: number, home: string): string {
  const goOn = guests === 1 ? 'goes' : 'go';
  return `${machines(guests)} ${goOn} on without it. The next vireo up finds them; vireo down --home ${shellWord(home)} stops them.`;
}

/** A word as the shell reads it back, quoted only where it must be. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
