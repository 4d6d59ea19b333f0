/** What looks like a secret wherever it stands, and what is left of it. */
const SECRETS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, '<private key>'],
  [/\b(Bearer|Basic)\s+[\w.~+/-]{6,}=*/gi, '$1 <removed>'],
  // A token as servers sign it: three parts, the first of which always begins so.
  [/\beyJ[\w-]{6,}\.[\w-]+\.[\w-]*/g, '<token>'],
  // What lets whoever knows it in, behind the question mark of an address.
  [/([?&][\w.-]*(?:token|signature|sig|secret|passw(?:or)?d|credential|key)[\w.-]*=)[^&#\s"']+/gi, '$1…'],
  // A password in an address.
  [/(\w+:\/\/)[^/\s@"']+@/g, '$1…@'],
  [/\b((?:pass(?:word|wd)?|secret|token|apikey|api_key)["']?\s*[=:]\s*["']?)[^\s"',;}&]+/gi, '$1<removed>'],
];

/** A text without what must not be written to a log. Errors quote addresses, headers and files that hold it. */
export function withoutSecrets(text: string): string {
  let result = text;
  for (const [pattern, replacement] of SECRETS) result = result.replace(pattern, replacement);
  return result;
}
