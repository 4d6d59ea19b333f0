import type { UserInfo } from '@vireo/kube';

/** A bearer token that is known beforehand, and whose it is. */
export interface StaticToken {
  readonly token: string;
  readonly user: UserInfo;
}

/**
 * Reads lines of `token,user,uid,"group1,group2"`, the format of Kubernetes' token file.
 * Empty lines and lines that start with `#` are passed over.
 */
export function parseStaticTokens(csv: string, source = 'the token file'): StaticToken[] {
  return csv.split(/\r?\n/).flatMap((line, index) => {
    if (line.trim() === '' || line.startsWith('#')) return [];
    const [token = '', username = '', uid = '', groups = ''] = columnsOf(line);
    if (!token || !username)
      throw new Error(
        `${source}, line ${index + 1}: expected token,user,uid,"group1,group2"; token and user are required`,
      );
    const named = groups.split(',').map((group) => group.trim());
    const user = {
      username,
      ...(uid && { uid }),
      groups: [...new Set([...named.filter((group) => group !== ''), 'system:authenticated'])],
    };
    return [{ token, user }];
  });
}

/** Columns are bare, or in quotes where they hold commas. */
const columnsOf = (line: string): string[] =>
  [...line.matchAll(/(?:^|,)\s*(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, bare]) =>
    quoted === undefined ? (bare ?? '').trim() : quoted.replaceAll('""', '"'),
  );
