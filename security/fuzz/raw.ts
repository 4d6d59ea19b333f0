import tls from 'node:tls';
import type { Ground } from '../ground.ts';
import type { Trial } from '../part.ts';
import { leak } from './verdict.ts';

const upgrade = (path: string, more = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n` +
  `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${more}\r\n`;

const CONSOLE = '/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachineinstances/x/console';

/** What no HTTP library would send. */
const RAW: Readonly<Record<string, string>> = {
  'no HTTP': 'hello\r\n\r\n',
  'nothing but line ends': '\r\n'.repeat(1000),
  'no host': 'GET /version HTTP/1.1\r\n\r\n',
  'an absolute URL': 'GET http://evil.example/version HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  'an authority': 'CONNECT 169.254.169.254:80 HTTP/1.1\r\nHost: x\r\n\r\n',
  'an asterisk': 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  'a path without a slash': 'GET version HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  'two slashes': 'GET // HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  'two lengths': 'POST /api/v1/pods HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde',
  'a length and chunks':
    'POST /api/v1/pods HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\n\r\n',
  'chunks of no length': 'POST /api/v1/pods HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  'a header with NUL': 'GET /version HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n',
  'a folded header': 'GET /version HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\nConnection: close\r\n\r\n',
  'a long line': `GET /${'x'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  'many headers': `GET /version HTTP/1.1\r\nHost: x\r\n${'X: y\r\n'.repeat(20_000)}\r\n`,
  'HTTP/0.9': 'GET /version\r\n',
  'HTTP/3.7': 'GET /version HTTP/3.7\r\nHost: x\r\n\r\n',
  'an upgrade to nowhere': upgrade('/nothing'),
  'an upgrade of two slashes': upgrade('//'),
  'an upgrade with a bad escape': upgrade('/apis/%zz/v1/x/y/z'),
  'an upgrade to a colon': upgrade('//x:y:z/'),
  'an upgrade to a list': upgrade('/api/v1/pods?watch=true'),
  'an upgrade without a VM': upgrade(CONSOLE),
  'an upgrade with a wrong key': upgrade(CONSOLE).replace('dGhlIHNhbXBsZSBub25jZQ==', '!'),
  'an upgrade with a token of noise': upgrade(
    CONSOLE,
    `Sec-WebSocket-Protocol: base64url.bearer.authorization.k8s.io.${'A'.repeat(5000)}\r\n`,
  ),
  'an upgrade to something else': upgrade(CONSOLE).replace('websocket', 'SPDY/3.1'),
  'HTTP/2 without its preface': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nnonsense that is no frame at all',
};

const TIMEOUT_MS = 1500;

/** Sends bytes as they are, as the administrator, and looks at what comes back. */
export async function rawConnections(ground: Ground, trial: Trial): Promise<void> {
  const answers = Object.entries(RAW).map(async ([label, text]) => {
    // Who has not said all he has to say is waited for; for how long is the part `exhaustion` to see.
    const response = await exchange(ground, text);
    const shown = leak(response, ground.home);
    if (shown) return trial.check(`a raw connection with ${label} showed ${shown}: ${response.slice(0, 300)}`);
    trial.check(
      /^HTTP\/1\.1 500/.test(response)
        ? `a raw connection with ${label} got a 500: ${response.slice(0, 400)}`
        : undefined,
    );
  });
  await Promise.all(answers);
}

/** What is said to a text until the first answer, the end of the connection, or for a while. */
function exchange({ port, admin }: Ground, text: string): Promise<string> {
  return new Promise((resolve) => {
    const { ca, cert, key } = admin;
    const socket = tls.connect({ host: '127.0.0.1', port, ca, cert, key, ALPNProtocols: ['http/1.1'] });
    let response = '';
    const finish = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(response);
    };
    const timer = setTimeout(finish, TIMEOUT_MS);
    socket.on('secureConnect', () => socket.write(text));
    socket.on('data', (chunk) => {
      response += chunk.toString('latin1');
      // Kept alive after its answer is as good as closed.
      if (response.includes('\r\n\r\n')) finish();
    });
    socket.on('error', finish);
    socket.on('close', finish);
  });
}
