import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Where Debian's packages of Swift were unpacked; unset where they were not. */
const root = process.env.VIREO_TEST_SWIFT;

/** Why tests with Swift do not run; undefined where they do. */
export const whyNoSwift = root ? undefined : 'needs Swift: npm run s3';

/** Who may use the account. */
export const SWIFT_USER = { accessKeyId: 'test:tester', secretAccessKey: 'testing' };
export const SWIFT_REGION = 'us-east-1';
/** Buckets are below this name, in the virtual-hosted style. */
export const SWIFT_DOMAIN = 's3.localhost';

/** OpenStack's object store on this host, which speaks S3. */
export interface Swift extends AsyncDisposable {
  readonly http: string;
  readonly https: string;
  /** Of the CA of the server. */
  readonly cert: string;
  /** Where it keeps objects. */
  readonly directory: string;
}

/** Starts Swift with one device, on free ports of this host. */
export async function startSwift(): Promise<Swift> {
  const directory = await mkdtemp(join(tmpdir(), 'vireo-swift-'));
  const children: ChildProcess[] = [];
  const close = async (): Promise<void> => {
    for (const child of children) child.kill('SIGKILL');
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  };
  const start = (name: string, command: string, args: readonly string[]): void => {
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', command, ...args], {
      cwd: directory,
      env: environment(directory),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-4000);
      });
    child.once(
      'exit',
      (code, signal) => signal !== 'SIGKILL' && console.error(`swift ${name} ended, ${code}:\n${output}`),
    );
    children.push(child);
  };
  try {
    const [account = 0, container = 0, object = 0, plain = 0, secure = 0, cache = 0] = await freePorts(6);
    await mkdir(join(directory, 'devices/disk'), { recursive: true });
    await writeFile(join(directory, 'swift.conf'), '[swift-hash]\nswift_hash_path_suffix = vireo\n');
    await makeCertificate(directory);
    await writeFile(join(directory, 'rings.py'), RINGS);
    await python(directory, ['rings.py', directory, `${account}`, `${container}`, `${object}`]);
    const servers = { account, container, object };
    for (const [name, port] of Object.entries(servers))
      await writeFile(join(directory, `${name}.conf`), storageServer(directory, name, port));
    await writeFile(join(directory, 'plain.conf'), proxy(directory, { port: plain, cache }));
    await writeFile(join(directory, 'secure.conf'), proxy(directory, { port: secure, cache, isSecure: true }));
    await writeFile(join(directory, 'serve.py'), SERVE);
    start('cache', `${root}/usr/bin/memcached`, ['-l', '127.0.0.1', '-p', `${cache}`, '-u', 'root']);
    const roles = [
      ...Object.keys(servers).map((name) => [name, `${name}-server`]),
      ['plain', 'proxy-server'],
      ['secure', 'proxy-server'],
    ];
    for (const [name = '', section = ''] of roles) {
      start(name, '/usr/bin/python3', ['serve.py', directory, join(directory, `${name}.conf`), section]);
    }
    for (const port of [account, container, object, plain, secure, cache]) await answering(port);
    return {
      http: `http://127.0.0.1:${plain}`,
      https: `https://127.0.0.1:${secure}`,
      cert: await readFile(join(directory, 'ca.pem'), 'utf8'),
      directory,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const environment = (directory: string): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  PYTHONPATH: `${root}/usr/lib/python3/dist-packages`,
  LD_LIBRARY_PATH: `${root}/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`,
  PYTHONDONTWRITEBYTECODE: '1',
  HOME: directory,
});

const python = (directory: string, args: readonly string[]) =>
  run('/usr/bin/python3', [...args], { cwd: directory, env: environment(directory) });

/** One replica on one device. */
const RINGS = `import os, sys
from swift.common.ring import RingBuilder
directory = sys.argv[1]
for name, port in zip(('account', 'container', 'object'), sys.argv[2:]):
    builder = RingBuilder(4, 1, 0)
    builder.add_dev({'region': 1, 'zone': 1, 'weight': 1, 'ip': '127.0.0.1', 'port': int(port), 'device': 'disk',
                     'replication_ip': '127.0.0.1', 'replication_port': int(port), 'meta': ''})
    builder.rebalance()
    builder.get_ring().save(os.path.join(directory, name + '.ring.gz'))
`;

/** Starts a server as its script does, with the configuration of the test. */
const SERVE = `import sys
directory, conf, section = sys.argv[1:]
import swift.common.utils as utils
utils.SWIFT_CONF_FILE = directory + '/swift.conf'
import swift.common.wsgi as wsgi
utils.drop_privileges = wsgi.drop_privileges = lambda *args, **kwargs: None
sys.exit(wsgi.run_wsgi(conf, section, verbose=False))
`;

const DEFAULTS = (directory: string, port: number): string => `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${process.env.USER ?? 'root'}
swift_dir = ${directory}
devices = ${directory}/devices
mount_check = false
log_level = ERROR
`;

const storageServer = (directory: string, name: string, port: number): string => `${DEFAULTS(directory, port)}
[pipeline:main]
pipeline = ${name}-server
[app:${name}-server]
use = egg:swift#${name}
fallocate_reserve = 0
`;

/** On a busy host, half a second to connect is not enough, and there is no other device while one is given up. */
const proxy = (
  directory: string,
  { port, cache, isSecure = false }: { port: number; cache: number; isSecure?: boolean },
): string => `${DEFAULTS(directory, port)}
${isSecure ? `cert_file = ${directory}/server.pem\nkey_file = ${directory}/server.key` : ''}
[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck cache s3api tempauth bulk slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
conn_timeout = 10
node_timeout = 60
error_suppression_interval = 0
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:healthcheck]
use = egg:swift#healthcheck
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${cache}
[filter:s3api]
use = egg:swift#s3api
location = ${SWIFT_REGION}
storage_domain = ${SWIFT_DOMAIN}
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = ${SWIFT_USER.secretAccessKey} .admin
[filter:bulk]
use = egg:swift#bulk
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
`;

async function makeCertificate(directory: string): Promise<void> {
  const openssl = (...args: string[]) => run('openssl', args, { cwd: directory });
  const names = 'subjectAltName=IP:127.0.0.1,DNS:localhost';
  const key = ['-newkey', 'rsa:2048', '-nodes'];
  await openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2', '-subj', '/CN=test CA');
  await openssl('req', ...key, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=127.0.0.1');
  await writeFile(join(directory, 'names'), names);
  const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names'];
  await openssl('x509', '-req', '-in', 'server.csr', '-out', 'server.pem', ...signing);
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve, reject) => {
          server.once('error', reject).listen(0, '127.0.0.1', () => {
            const address = server.address();
            resolve(typeof address === 'object' && address ? address.port : 0);
          });
        }),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

async function answering(port: number): Promise<void> {
  for (let tries = 1; ; tries++) {
    const isThere = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (isThere) return;
    if (tries === 600) throw new Error(`nothing listens on port ${port}`);
    await sleep(100);
  }
}
