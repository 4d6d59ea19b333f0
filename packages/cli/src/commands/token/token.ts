import { Secret } from '@vireo/api';
import { humanDuration } from '@vireo/api/kinds/columns.ts';
import { JOINING_GROUP, TOKEN_NODE_ANNOTATION, TOKEN_SECRET_PREFIX } from '@vireo/api/kinds/kubevirt/identities.ts';
import {
  BOOTSTRAP_TOKEN_NAMESPACE,
  BOOTSTRAP_TOKEN_TYPE,
  joiningSecret,
  newBootstrapToken,
} from '@vireo/kube/joining/bootstrapToken.ts';
import { Failure } from '../../failure.ts';
import { publishClusterInfo } from '../../joining/clusterInfo.ts';
import { joinCommand } from '../../joining/discover.ts';
import { connected } from '../vms/connection.ts';
import type { ConnectionOptions } from '../vms/connectionOptions.ts';
import { orFail } from '../vms/refusal.ts';
import { formatTable } from '../vms/table.ts';

export interface TokenCreateOptions extends ConnectionOptions {
  /** In milliseconds; 0: for ever. */
  readonly ttl: number;
  readonly node?: string;
  readonly description?: string;
}

export interface TokenListOptions extends ConnectionOptions {
  readonly output: 'text' | 'json';
}

const at = { namespace: BOOTSTRAP_TOKEN_NAMESPACE };

/** Creates a token and prints the line that joins a host, and nothing else: it can be used in scripts. */
export async function createToken(options: TokenCreateOptions): Promise<void> {
  const { ttl, node, description } = options;
  const token = newBootstrapToken();
  const purpose = {
    ...(ttl > 0 && { expiration: new Date(Date.now() + ttl) }),
    ...(node !== undefined && { node }),
    ...(description !== undefined && { description }),
  };
  const info = await connected(options, (connection) =>
    orFail(
      connection,
      (why) => `the token cannot be created: ${why}`,
      async () => {
        await connection.client.of(Secret).create(joiningSecret(token, purpose));
        return publishClusterInfo(connection.client, connection.target, token);
      },
    ),
  );
  if (isLoopback(new URL(info.server).hostname))
    console.error(
      `warning: only this host reaches the server, which is at ${info.server}. Other hosts can join if it listens for ` +
        'all: vireo up --listen all',
    );
  console.log(joinCommand('vireo', info, token));
}

/** Prints the tokens by which hosts join. */
export async function listTokens(options: TokenListOptions): Promise<void> {
  const secrets = await connected(options, (connection) =>
    orFail(
      connection,
      (why) => `the tokens cannot be listed: ${why}`,
      () => connection.client.of(Secret).list({ ...at, fieldSelector: `type=${BOOTSTRAP_TOKEN_TYPE}` }),
    ),
  );
  const tokens = secrets.items.map(describeToken).filter(({ groups }) => groups.includes(JOINING_GROUP));
  if (options.output === 'json') {
    const shown = tokens.map(({ groups: _, ...token }) => token);
    console.log(JSON.stringify(shown, undefined, 2));
    return;
  }
  if (tokens.length === 0) {
    console.log('No tokens. To create one: vireo token create');
    return;
  }
  const rows = tokens.map(({ id, expiration, node = '', description = '' }) => [
    id,
    expiration === undefined ? 'never' : endOf(expiration),
    node,
    description,
  ]);
  console.log(formatTable([['ID', 'EXPIRES', 'NODE', 'DESCRIPTION'], ...rows]));
}

/** Deletes tokens by their ids. */
export async function deleteTokens(ids: readonly string[], options: ConnectionOptions): Promise<void> {
  await connected(options, async (connection) => {
    for (const id of ids.map((text) => text.split('.', 1)[0] ?? '')) {
      await orFail(
        connection,
        (why) => `the token ${id} cannot be deleted: ${why}`,
        async () => {
          const secrets = connection.client.of(Secret);
          const secret = await secrets.find(`${TOKEN_SECRET_PREFIX}${id}`, at);
          if (!secret) throw new Failure(`there is no token ${id}`, 'To see those that are there: vireo token list');
          await secrets.deleteExactly(secret);
        },
      );
      console.log(`Deleted the token ${id}.`);
    }
  });
}

interface TokenDescription {
  readonly id: string;
  readonly expiration?: string;
  readonly node?: string;
  readonly description?: string;
  readonly groups: readonly string[];
}

function describeToken({ metadata, data }: Secret): TokenDescription {
  const text = (key: string): string | undefined =>
    data?.[key] === undefined ? undefined : Buffer.from(data[key], 'base64').toString();
  const [expiration, node, description] = [
    text('expiration'),
    metadata.annotations?.[TOKEN_NODE_ANNOTATION],
    text('description'),
  ];
  return {
    id: text('token-id') ?? '',
    ...(expiration !== undefined && { expiration }),
    ...(node !== undefined && { node }),
    ...(description !== undefined && { description }),
    groups: (text('auth-extra-groups') ?? '').split(','),
  };
}

function endOf(expiration: string): string {
  const ms = Date.parse(expiration) - Date.now();
  return ms > 0 ? `in ${humanDuration(ms)}` : 'expired';
}

const isLoopback = (host: string): boolean => /^127\.|^\[?::1\]?$|^localhost$/.test(host);
