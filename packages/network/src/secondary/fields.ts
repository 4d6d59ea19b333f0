/** A network configuration that cannot be carried out, with the field that is to blame. */
export class ConfigError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ConfigError';
  }
}

/** A part of a configuration, as JSON has it. */
export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads the fields of an object, each of its type. `path`: where the object is, for messages. */
export class FieldReader {
  readonly #fields: Fields;
  readonly #path: string;
  readonly #known = new Set<string>();

  constructor(fields: Fields, path = '') {
    this.#fields = fields;
    this.#path = path;
  }

  /** The field's place in the configuration. */
  at(name: string): string {
    return this.#path ? `${this.#path}.${name}` : name;
  }

  /** What the field holds; `null` is as good as nothing. */
  raw(name: string): unknown {
    this.#known.add(name);
    return this.#fields[name] ?? undefined;
  }

  boolean(name: string): boolean {
    const value = this.raw(name) ?? false;
    if (typeof value !== 'boolean') throw this.#mismatch(name, value, 'true or false');
    return value;
  }

  text(name: string): string | undefined {
    const value = this.raw(name);
    if (value !== undefined && typeof value !== 'string') throw this.#mismatch(name, value, 'a text');
    return value || undefined;
  }

  /** A text of a form; `what` names the form. */
  textOf(name: string, isValid: (text: string) => boolean, what: string): string | undefined {
    const value = this.text(name);
    if (value !== undefined && !isValid(value)) throw this.#mismatch(name, value, what);
    return value;
  }

  /** A whole number; 0 is as good as nothing. */
  number(name: string, least: number, most: number): number | undefined {
    const value = this.raw(name) ?? 0;
    if (value === 0) return undefined;
    if (!Number.isInteger(value) || (value as number) < least || (value as number) > most)
      throw this.#mismatch(name, value, `a whole number from ${least} to ${most}`);
    return value as number;
  }

  /** The objects of a list, with readers of their own. */
  list(name: string): FieldReader[] {
    return this.#items(name).map((each, index) => {
      if (!isFields(each)) throw this.#mismatch(`${name}[${index}]`, each, 'an object');
      return new FieldReader(each, this.at(`${name}[${index}]`));
    });
  }

  texts(name: string): string[] {
    return this.#items(name).map((each, index) => {
      if (typeof each !== 'string') throw this.#mismatch(`${name}[${index}]`, each, 'a text');
      return each;
    });
  }

  object(name: string): FieldReader | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    if (!isFields(value)) throw this.#mismatch(name, value, 'an object');
    return new FieldReader(value, this.at(name));
  }

  /** The fields that nobody has asked for. */
  unknown(): string[] {
    return Object.keys(this.#fields)
      .filter((name) => !this.#known.has(name))
      .map((name) => this.at(name));
  }

  #items(name: string): readonly unknown[] {
    const value = this.raw(name) ?? [];
    if (!Array.isArray(value)) throw this.#mismatch(name, value, 'a list');
    return value;
  }

  #mismatch(name: string, value: unknown, what: string): ConfigError {
    return new ConfigError(`${this.at(name)} is ${JSON.stringify(value)}, but must be ${what}`);
  }
}
