import { realpathSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { dnsSubdomain } from '@vireo/api/names.ts';
import { LOG_FORMATS, LOG_LEVELS } from '@vireo/kube/log/index.ts';
import { boundary } from '@vireo/oci/offLimits.ts';
import { InvalidArgumentError, Option } from 'commander';

/** Where everything that lasts is kept, unless the user says otherwise. */
export function defaultHome(user: { isRoot: boolean; homeDirectory: string }): string {
  return user.isRoot ? '/var/lib/vireo' : `${user.homeDirectory}/.vireo`;
}

/** `--home`, the same for every command. */
export function homeOption(): Option {
  const value = realPath(defaultHome({ isRoot: userInfo().uid === 0, homeDirectory: homedir() }));
  return new Option('--home <directory>', 'where the server keeps its state')
    .env('VIREO_HOME')
    .default(value)
    .argParser(parseHome);
}

/** `--port` of commands that listen. */
export function portOption(): Option {
  return new Option('--port <number>', 'port of the Kubernetes API; 0 takes a free one')
    .env('VIREO_PORT')
    .default(6443)
    .argParser(parsePort);
}

/** `--listen` of the command that starts the server. Its own clients come by 127.0.0.1 either way. */
export function listenOption(): Option {
  return new Option('--listen <where>', 'who can reach the port: clients of all hosts, or local ones only')
    .env('VIREO_LISTEN')
    .choices(['all', 'local'])
    .default('all');
}

/** `--refuse-imports` of the same. */
export function refuseImportsOption(): Option {
  return new Option(
    '--refuse-imports <networks>',
    'addresses that no disk is downloaded from: loopback, private, and networks such as 203.0.113.0/24, with commas ' +
      "between; those of the host's own link, where clouds keep its keys, are refused always",
  )
    .env('VIREO_IMPORT_REFUSE')
    .argParser(parseNetworks);
}

/** `--simulate-nodes` of the command that starts the server. */
export function simulateNodesOption(): Option {
  return new Option('--simulate-nodes <number>', 'add nodes that run machines of the hypervisor stub, without guests')
    .conflicts('apiOnly')
    .argParser(parseNodeCount);
}

/** `--extension-port` of the same. */
export function extensionPortOption(): Option {
  return new Option(
    '--extension-port <number>',
    "have the actions of machines listen by themselves, for another API server's front proxy; 0 takes a free port",
  )
    .conflicts('apiOnly')
    .argParser(parsePort);
}

/** `--node-name` of the same. */
export function nodeNameOption(): Option {
  return new Option('--node-name <name>', "name of this host's node, where it is not to be the host's")
    .env('VIREO_NODE_NAME')
    .conflicts('apiOnly')
    .argParser(parseNodeName);
}

/** `--log-format` of the same. */
export function logFormatOption(): Option {
  return new Option('--log-format <format>', 'how the log on standard error looks: for people, or a JSON object a line')
    .env('VIREO_LOG_FORMAT')
    .choices(LOG_FORMATS)
    .default('text');
}

/** `--log-level` of the same. */
export function logLevelOption(): Option {
  return new Option('--log-level <level>', 'what is less urgent stays out of the log')
    .env('VIREO_LOG_LEVEL')
    .choices(LOG_LEVELS)
    .default('info');
}

/** `--output` of commands that programs read as well. */
export function outputOption(): Option {
  return new Option('-o, --output <format>', 'how to print').choices(['text', 'json']).default('text');
}

function parseNodeName(text: string): string {
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

export function parseHome(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must name a directory.');
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
  if (!/^\d+$/.test(text) || port > 65_535) throw new InvalidArgumentError('A port is a number from 0 to 65535.');
  return port;
}

/** More than anybody has, and few enough to be registered one by one. */
const MAX_NODES = 5_000;

export function parseNodeCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count > MAX_NODES) {
    throw new InvalidArgumentError(`A number of nodes is from 0 to ${MAX_NODES}.`);
  }
  return count;
}
