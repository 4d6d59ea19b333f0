import { CHECKOUT, KUBECTL } from './disks.ts';

/** Ports of the guest that end here, by their names there. */
export const PORTS = { output: 'vireo.output', result: 'vireo.result' } as const;

/**
 * How many times longer than usual a test may take. Node is about ten times slower there, a guest's start twenty, and
 * the host may be busy.
 */
const PATIENCE = 20;

/** Alone in a guest with a user-mode network, whose addresses are always the same. */
const network = `ip link set eth0 up
ip address add 10.0.2.15/24 dev eth0
ip route add default via 10.0.2.2`;

export interface JobOptions {
  /** Whether guests run with KVM, or the tests fail. */
  readonly isKvm: boolean;
  readonly hasColours: boolean;
}

const environment = ({ isKvm, hasColours }: JobOptions): Record<string, string> => ({
  PATH: [
    ...['node_modules/node/bin', 'node_modules/.bin', 'bin'].map((directory) => `${CHECKOUT}/${directory}`),
    ...['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'],
  ].join(':'),
  VIREO_KUBECTL: KUBECTL,
  VIREO_TEST_LAB: '1',
  VIREO_TEST_PATIENCE: String(PATIENCE),
  NODE_COMPILE_CACHE: `${CHECKOUT}/.cache/compile`,
  ...(isKvm && { VIREO_TEST_KVM: 'required' }),
  ...(hasColours ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' }),
});

const exports = (variables: Record<string, string>): string =>
  Object.entries(variables)
    .map(([name, value]) => `export ${name}=${quoted(value)}`)
    .join('\n');

/** Runs the tests. What is on the checkout's disk as the job. */
export const testJob = (vitestArgs: readonly string[], options: JobOptions): string => `modprobe virtio_console
udevadm settle
exec >/dev/virtio-ports/${PORTS.output} 2>&1
echo booted
${network}
${exports(environment(options))}
# Two workers would have a processor each, and none left for their guests.
node node_modules/vitest/vitest.mjs run --maxWorkers=1 ${vitestArgs.map(quoted).join(' ')}
echo $? >/dev/virtio-ports/${PORTS.result}
sync
`;

/** What a shell reads first. */
export const shellJob = (
  terminal: { columns: number; rows: number; type: string },
  options: JobOptions,
): string => `${network}
${exports({ ...environment(options), TERM: terminal.type })}
stty columns ${terminal.columns} rows ${terminal.rows}
export PS1='lab:\\w# '
echo "The checkout is a copy. To run tests: vitest run PATH. To power off: exit"
`;

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
