import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/**
 * Has a Node process collect its garbage and resolves with the bytes that are in use then. It goes through the
 * debugger's door, which SIGUSR1 opens and which costs the process a sleeping thread.
 */
export async function collectGarbage(child: ChildProcess): Promise<number> {
  const socket = new WebSocket(await debuggerOf(child));
  await once(socket, 'open');
  let id = 0;
  const ask = async (method: string, params: object = {}): Promise<unknown> => {
    socket.send(JSON.stringify({ id: ++id, method, params }));
    const [{ data }] = (await once(socket, 'message')) as [MessageEvent];
    return (JSON.parse(String(data)) as { result: unknown }).result;
  };
  // Twice: what the first round lets go of may hold on to more.
  await ask('HeapProfiler.collectGarbage');
  await ask('HeapProfiler.collectGarbage');
  const expression = '(({ heapUsed, external }) => heapUsed + external)(process.memoryUsage())';
  const { result } = (await ask('Runtime.evaluate', { expression })) as { result: { value: number } };
  socket.close();
  return result.value;
}

const addresses = new WeakMap<ChildProcess, Promise<string>>();

/** Where the process's debugger listens; it says so once. */
function debuggerOf(child: ChildProcess): Promise<string> {
  const known = addresses.get(child);
  if (known) return known;
  const asked = new Promise<string>((resolve) => {
    let text = '';
    child.stderr?.on('data', (chunk: string) => {
      text += chunk;
      const address = /Debugger listening on (ws:\S+)/.exec(text)?.[1];
      if (address) resolve(address);
    });
    child.kill('SIGUSR1');
  });
  addresses.set(child, asked);
  return asked;
}
