/** What the VM says; where it says nothing, what is preferred. Go's clients send '' for nothing. */
export const either = <T>(own: T | undefined, preferred: T | undefined): T | undefined =>
  own === undefined || own === null || own === '' ? preferred : own;

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** The object without the keys that say nothing. */
export const omitUndefined = <T extends object>(object: T): Defined<T> =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Defined<T>;

/** As `omitUndefined`, and nothing at all where no key is left. */
export function omitUndefinedOrEmpty<T extends object>(object: T): Defined<T> | undefined {
  const rest = omitUndefined(object);
  return Object.keys(rest).length > 0 ? rest : undefined;
}
