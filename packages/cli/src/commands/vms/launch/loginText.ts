import { parse } from 'yaml';
import { loginsIn } from '../ssh/login.ts';

/** How to log in, from the user data that the guest gets; undefined where that does not tell. */
export function loginText(userData: string, password: string | undefined): string | undefined {
  const { user, keys, hasPassword } = loginsIn(userData);
  if (!user || (keys.length === 0 && !hasPassword)) return undefined;
  if (!hasPassword) return `Log in as ${user} with your ssh key:`;
  // A password from the user's own file is not for everybody who reads a log.
  const isOurs = (parse(userData) as { password?: unknown }).password === password;
  return `Log in as ${user} with ${isOurs ? `password ${password}` : 'the password in your user data'}:`;
}
