import { Failure } from '../../../failure.ts';
import { connected } from '../connection.ts';
import { directWay } from './directWay.ts';
import { clientOptions, hostOf, loginName, runClient, type SshOptions } from './localClient.ts';
import { type CopyEnd, parseCopyEnd } from './target.ts';

interface ScpOptions extends SshOptions {
  readonly recursive?: boolean;
  readonly preserve?: boolean;
}

/** Copies between this host and a guest with the scp of this host. */
export async function scp(source: string, destination: string, options: ScpOptions): Promise<void> {
  const ends = [parseCopyEnd(source), parseCopyEnd(destination)] as const;
  const [target, another] = ends.flatMap((end) => end.target ?? []);
  if (!target || another) {
    throw new Failure(
      another
        ? `copying from a remote location to another remote location is not supported: "${source}" to "${destination}"`
        : `none of the two provided locations seems to be a remote location: "${source}" to "${destination}"`,
      'Write the path in the guest as [USER@]vm/NAME[/NAMESPACE]:PATH',
    );
  }
  const { namespace, host, direct } = await connected(options, async (connection) => {
    const { namespace = connection.namespace } = target;
    const host = hostOf(target, namespace);
    return { namespace, host, direct: await directWay(connection, target, options.port, host) };
  });
  const user = loginName(target, options, process.env);
  const argument = ({ path, target: remote }: CopyEnd): string =>
    remote ? `${user ? `${user}@` : ''}${host}:${path}` : localPath(path);
  await runClient('scp', [
    ...clientOptions(target, namespace, options, direct),
    ...(options.recursive ? ['-r'] : []),
    ...(options.preserve ? ['-p'] : []),
    '--',
    ...ends.map(argument),
  ]);
}

/** scp takes what stands before a colon for a host, unless a slash comes first. */
const localPath = (path: string): string => (path.includes(':') && !/^[./]/.test(path) ? `./${path}` : path);
