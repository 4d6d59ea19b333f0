import { realpathSync } from 'node:fs';
import { isIP } from 'node:net';
import { homedir, userInfo } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { parseDuration } from '@vireo/api/duration.ts';
import { DEFAULT_NODE_CIDR_MASK_SIZE } from '@vireo/api/kinds/kubevirt/networkConfig.ts';
import { dnsSubdomain } from '@vireo/api/names.ts';
import { LOG_FORMATS, LOG_LEVELS } from '@vireo/kube/log/index.ts';
import { boundary } from '@vireo/oci/offLimits.ts';
import { InvalidArgumentError, Option } from 'commander';

/** Where everything that lasts is kept, unless the user says otherwise. */
export function defaultHome(user: { isRoot: boolean; homeDirectory: string }): string {
  return user.isRoot ? '/var/lib/vireo' : `${user.homeDirectory}/.vireo`;
}

/** The home of this user's server, for commands that are told of a server otherwise. */
export const serverHome = ({ VIREO_HOME }: NodeJS.ProcessEnv = process.env): string =>
  VIREO_HOME
    ? parseHome(VIREO_HOME)
    : realPath(defaultHome({ isRoot: userInfo().uid === 0, homeDirectory: homedir() }));

/** `--home`, the same for every command. */
export function homeOption(): Option {
  const value = realPath(defaultHome({ isRoot: userInfo().uid === 0, homeDirectory: homedir() }));
  return new Option('--home <directory>', 'directory that stores the server’s state')
    .env('VIREO_HOME')
    .default(value)
    .argParser(parseHome);
}

/** `--port` of commands that listen. */
export function portOption(): Option {
  return new Option('--port <number>', 'port of the Kubernetes API; 0 picks a free port')
    .env('VIREO_PORT')
    .default(6443)
    .argParser(parsePort);
}

/** `--listen` of the command that starts the server. Its own clients come by 127.0.0.1 either way. */
export function listenOption(): Option {
  return new Option(
    '--listen <where>',
    'who can connect to the port: clients on any host, or only clients on this host',
  )
    .env('VIREO_LISTEN')
    .choices(['all', 'local'])
    .default('all');
}

/** `--cluster-cidr`, `--node-cidr-mask-size` and `--service-cidr` of the same. */
export function rangeOptions(): Option[] {
  return [
    new Option(
      '--cluster-cidr <ranges>',
      'IPv4 range of the guests of all nodes, and after a comma the IPv6 range if they are to have IPv6 (default: as ' +
        'before; at first, 10.244.0.0/16 or another that is free, and a private /56 if the host has IPv6)',
    )
      .env('VIREO_CLUSTER_CIDR')
      .argParser(parseRangePair),
    new Option('--node-cidr-mask-size <bits>', 'prefix length of the part of that range that each node gets')
      .env('VIREO_NODE_CIDR_MASK_SIZE')
      .default(DEFAULT_NODE_CIDR_MASK_SIZE)
      .argParser(parseAmount),
    new Option(
      '--service-cidr <ranges>',
      'IPv4 range of Services, and after a comma the IPv6 range (default: as before; at first, 10.96.0.0/16 or another ' +
        'that is free, and a private /112 if the host has IPv6)',
    )
      .env('VIREO_SERVICE_CIDR')
      .argParser(parseRangePair),
  ];
}

function parseRange(text: string): string {
  const [address = '', prefix = '', ...rest] = text.split('/');
  if (isIP(address) !== 4 || rest.length > 0 || !/^\d{1,2}$/.test(prefix) || Number(prefix) > 32)
    throw new InvalidArgumentError('Expected a range of IPv4 addresses, such as 10.244.0.0/16.');
  return text;
}

/** A range of each family, as kube-controller-manager takes them. */
export interface RangePair {
  readonly ipv4: string;
  readonly ipv6?: string;
}

/** `10.244.0.0/16`, or `10.244.0.0/16,fd00:10:244::/56`. */
export function parseRangePair(text: string): RangePair {
  const [ipv4 = '', ipv6, ...rest] = text.split(',').map((part) => part.trim());
  const pair = { ipv4: parseRange(ipv4), ...(ipv6 !== undefined && { ipv6: parseRange6(ipv6) }) };
  if (rest.length > 0) throw new InvalidArgumentError('Expected one range of IPv4 and one of IPv6 addresses.');
  return pair;
}

function parseRange6(text: string): string {
  const [address = '', prefix = '', ...rest] = text.split('/');
  if (
    isIP(address) !== 6 ||
    address.includes('%') ||
    rest.length > 0 ||
    !/^\d{1,3}$/.test(prefix) ||
    Number(prefix) > 128
  )
    throw new InvalidArgumentError('Expected a range of IPv6 addresses, such as fd00:10:244::/56.');
  return text;
}

/** `--refuse-imports` of the same. */
export function refuseImportsOption(): Option {
  return new Option(
    '--refuse-imports <networks>',
    'comma-separated networks from which disks are never downloaded: loopback, private, or a CIDR such as ' +
      '203.0.113.0/24; link-local addresses, where clouds serve instance credentials, are always refused',
  )
    .env('VIREO_IMPORT_REFUSE')
    .argParser(parseNetworks);
}

/** `--nodes` of the command that starts the server. */
export function nodesOption(): Option {
  return new Option('--nodes <number>', 'how many nodes this host has; as root, each further one gets its own network')
    .env('VIREO_NODES')
    .conflicts('apiOnly')
    .default(1)
    .argParser(parseLocalNodeCount);
}

/** `--simulate-nodes` of the command that starts the server. */
export function simulateNodesOption(): Option {
  return new Option('--simulate-nodes <number>', 'add simulated nodes, whose VMs have no guests')
    .conflicts('apiOnly')
    .argParser(parseNodeCount);
}

/** `--extension-port` of the same. */
export function extensionPortOption(): Option {
  return new Option(
    '--extension-port <number>',
    'also serve VM subresources and admission on this port, for another API server’s front proxy; 0 picks a free port',
  )
    .conflicts('apiOnly')
    .argParser(parsePort);
}

/** `--extension` of the same. */
export function extensionOption(): Option {
  return new Option(
    '--extension <where>',
    'where VM subresources and admission run: in the server’s process, or in one of their own behind webhooks and APIServices',
  )
    .env('VIREO_EXTENSION')
    .choices(['in-process', 'remote'])
    .default('in-process');
}

/** `--node-name` of the same. */
export function nodeNameOption(): Option {
  return new Option('--node-name <name>', 'name of this host’s node (default: the host name)')
    .env('VIREO_NODE_NAME')
    .conflicts('apiOnly')
    .argParser(parseNodeName);
}

/** `--metric-resolution` of the same, called as metrics-server calls it. */
export function metricResolutionOption(): Option {
  return new Option('--metric-resolution <duration>', 'how often the CPU and memory of nodes and pods are measured')
    .default(15_000, '15s')
    .argParser(parsePeriod);
}

/** `--authentication-config` of the same. */
export function authenticationConfigOption(): Option {
  return new Option(
    '--authentication-config <file>',
    'AuthenticationConfiguration with the identity providers of users (default: authentication.yaml in the home, if it exists)',
  )
    .env('VIREO_AUTHENTICATION_CONFIG')
    .argParser(parseFile);
}

/** `--dashboard-config` of the same. */
export function dashboardConfigOption(): Option {
  return new Option(
    '--dashboard-config <file>',
    'how users log in to the dashboard with identity providers (default: dashboard.yaml in the home, if it exists)',
  )
    .env('VIREO_DASHBOARD_CONFIG')
    .argParser(parseFile);
}

/** `--horizontal-pod-autoscaler-sync-period` of the same, called as kube-controller-manager calls it. */
export function autoscalerSyncPeriodOption(): Option {
  return new Option('--horizontal-pod-autoscaler-sync-period <duration>', 'how often autoscalers act')
    .default(15_000, '15s')
    .argParser(parsePeriod);
}

/** The options of the audit log, named as kube-apiserver names them. */
export function auditOptions(): Option[] {
  const amount = (flag: string, description: string, name: string, preset: number): Option =>
    new Option(flag, description).env(name).default(preset).argParser(parseAmount);
  return [
    new Option('--audit-policy-file <file>', 'audit policy; without one, an audit log has the metadata of all requests')
      .env('VIREO_AUDIT_POLICY_FILE')
      .argParser(parseFile),
    new Option(
      '--audit-log-path <file>',
      'file for audit events; - is standard output (default: audit.log in the home if there is a policy, otherwise none)',
    )
      .env('VIREO_AUDIT_LOG_PATH')
      .argParser((text) => (text === '-' ? text : parseFile(text))),
    amount('--audit-log-maxsize <megabytes>', 'size at which the audit log is rotated', 'VIREO_AUDIT_LOG_MAXSIZE', 100),
    amount(
      '--audit-log-maxbackup <number>',
      'how many rotated audit logs are kept; 0 keeps all',
      'VIREO_AUDIT_LOG_MAXBACKUP',
      10,
    ),
    amount(
      '--audit-log-maxage <days>',
      'how long rotated audit logs are kept; 0 keeps them forever',
      'VIREO_AUDIT_LOG_MAXAGE',
      30,
    ),
  ];
}

/** `--log-format` of the same. */
export function logFormatOption(): Option {
  return new Option('--log-format <format>', 'format of the log on standard error; json writes one object per line')
    .env('VIREO_LOG_FORMAT')
    .choices(LOG_FORMATS)
    .default('text');
}

/** `--log-level` of the same. */
export function logLevelOption(): Option {
  return new Option('--log-level <level>', 'lowest level to log')
    .env('VIREO_LOG_LEVEL')
    .choices(LOG_LEVELS)
    .default('info');
}

/** `--output` of commands that programs read as well. */
export function outputOption(): Option {
  return new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text');
}

/** `--metrics-bind-address` of roles that run as processes of their own, called as controller-runtime calls it. */
export function metricsBindAddressOption(): Option {
  return new Option(
    '--metrics-bind-address <address>',
    'IP address and port that serve /healthz, /livez, /readyz and /metrics, such as 127.0.0.1:8080 or :8443; ' +
      'HTTPS unless it is a loopback address (default: nothing listens)',
  )
    .env('VIREO_METRICS_BIND_ADDRESS')
    .argParser(parseBindAddress);
}

const SHORTEST_PERIOD_MS = 100;

/** Milliseconds of a span of time that something is repeated after. */
export function parsePeriod(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined || ms < SHORTEST_PERIOD_MS)
    throw new InvalidArgumentError('Expected a duration of at least 100ms, such as 15s or 1m.');
  return ms;
}

/** `--drain-timeout` of `vireo down` on a node of several. */
export const drainTimeoutOption = (): Option =>
  new Option(
    '--drain-timeout <duration>',
    'how long VMs may take to move to other nodes: 30s, 5m, 1h (default: their longest grace period)',
  ).argParser((text) => {
    const ms = parseDuration(text);
    if (ms === undefined || ms < 0) throw new InvalidArgumentError('Expected a duration, such as 30s or 5m.');
    return ms;
  });

/** The name of a node. */
export function parseNodeName(text: string): string {
  // It is the value of a label as well, which is shorter.
  const [problem] = text.length > 63 ? ['must be no more than 63 characters'] : dnsSubdomain(text);
  if (problem) throw new InvalidArgumentError(problem);
  return text;
}

function parseNetworks(text: string): string {
  try {
    boundary(text);
    return text;
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

function parseAmount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Expected a number that is not negative.');
  return Number(text);
}

function parseFile(text: string): string {
  if (text === '') throw new InvalidArgumentError('Expected a file.');
  return resolve(text);
}

export function parseHome(text: string): string {
  if (text === '') throw new InvalidArgumentError('Expected a directory.');
  return realPath(resolve(text));
}

/** One name for one directory, whichever links lead there: sockets and processes are found by it. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
}

export function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new InvalidArgumentError('Expected a port from 0 to 65535.');
  return port;
}

/** Where something listens. */
export interface BindAddress {
  readonly host: string;
  readonly port: number;
}

/** `:8443` is every address of this host, as in Go. */
export function parseBindAddress(text: string): BindAddress {
  const match = /^(?:\[([^\]]*)\]|([^:]*)):(\d+)$/.exec(text);
  const [, bracketed, plain, port = ''] = match ?? [];
  const host = bracketed ?? (plain || '0.0.0.0');
  if (!match || !isIP(host))
    throw new InvalidArgumentError('Expected an IP address and a port, such as 127.0.0.1:8080.');
  return { host, port: parsePort(port) };
}

/** Each has a libvirtd and an agent, and they share one network of a byte. */
const MAX_LOCAL_NODES = 100;

function parseLocalNodeCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > MAX_LOCAL_NODES)
    throw new InvalidArgumentError(`Expected a number from 1 to ${MAX_LOCAL_NODES}.`);
  return count;
}

/** More than anybody has, and few enough to be registered one by one. */
const MAX_NODES = 5_000;

export function parseNodeCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count > MAX_NODES) {
    throw new InvalidArgumentError(`Expected a number from 0 to ${MAX_NODES}.`);
  }
  return count;
}
