/** The parameter of addresses that names a dialog to open. */
export const ASK = 'ask';

/** An address where a dialog opens. */
export const asking = (href: string, what: 'migrate' | 'take' | 'clone' | 'upload' | 'import'): string =>
  `${href}?${ASK}=${what}`;
