/**
 * Reads tokens and recovers from those that do not fit the way ANTLR's generated parsers do, so that messages are the
 * ones that cel-go prints: a token too many is passed over, a missing one is imagined, and otherwise tokens are skipped
 * until one may follow something that has been begun.
 */
import type { Issue } from './source.ts';
import { formatExpected, type Token, type TokenType } from './tokens.ts';

type Tokens = ReadonlySet<TokenType>;

/** Thrown where a rule cannot go on; `TokenStream.rule` catches it. */
export class SyntaxMismatch {
  readonly message: string;
  readonly offset: number;

  constructor(message: string, offset: number) {
    this.message = message;
    this.offset = offset;
  }
}

/** Thrown where it makes no sense to go on. */
export class GiveUp {
  readonly message: string | undefined;

  constructor(message?: string) {
    this.message = message;
  }
}

const MAX_RECOVERIES = 30;
const MAX_SKIPPED = 256;
const MAX_ISSUES = 100;

export class TokenStream {
  readonly issues: Issue[];
  readonly #tokens: readonly Token[];
  #at = 0;
  #recovering = false;
  #recoveries = 0;
  #lastError = -1;

  constructor(tokens: readonly Token[], issues: readonly Issue[]) {
    this.#tokens = tokens;
    this.issues = [...issues];
  }

  peek(ahead = 0): Token {
    return this.#tokens[Math.min(this.#at + ahead, this.#tokens.length - 1)] as Token;
  }

  is(type: TokenType): boolean {
    return this.peek().type === type;
  }

  /** Takes the token if it is of the type. */
  take(type: TokenType): Token | undefined {
    return this.is(type) ? this.next() : undefined;
  }

  next(): Token {
    const token = this.peek();
    if (this.#at < this.#tokens.length - 1) this.#at++;
    this.#recovering = false;
    return token;
  }

  /** The token that must come now. `after`: what may come after it, to tell a missing token from a wrong one. */
  match(type: TokenType, after: Tokens): Token {
    if (this.is(type)) return this.next();
    this.#countRecovery();
    const expected = new Set([type]);
    const found = this.peek();
    if (this.peek(1).type === type && !this.is('<EOF>')) {
      this.#report(`extraneous input ${display(found)} expecting ${formatExpected(expected)}`, found.offset);
      this.#passOver();
      return this.next();
    }
    if (after.has(found.type)) {
      this.#report(`missing ${formatExpected(expected)} at ${display(found)}`, found.offset);
      return { type, text: `<missing ${type}>`, offset: found.offset };
    }
    throw this.mismatch(expected);
  }

  /** Makes sure that one of the tokens comes now; one that is too many is passed over. */
  expect(expected: Tokens): void {
    const found = this.peek();
    if (expected.has(found.type)) return;
    if (this.#recovering) throw new SyntaxMismatch('', found.offset);
    if (expected.has(this.peek(1).type) && found.type !== '<EOF>') {
      this.#report(`extraneous input ${display(found)} expecting ${formatExpected(expected)}`, found.offset);
      this.#passOver();
      return;
    }
    throw this.mismatch(expected);
  }

  /** Like `expect`, where nothing need come. */
  expectIfAny(expected: Tokens): void {
    if (!this.#recovering) this.expect(expected);
  }

  mismatch(expected: Tokens): SyntaxMismatch {
    const found = this.peek();
    return new SyntaxMismatch(`mismatched input ${display(found)} expecting ${formatExpected(expected)}`, found.offset);
  }

  /** Where no reading fits this token and the next. */
  noViableAlternative(source: string): SyntaxMismatch {
    const first = this.peek();
    const second = this.peek(1);
    const space = source.slice(first.offset + first.text.length, second.offset).replaceAll(/\S/g, '');
    const isEnd = second.type === '<EOF>';
    const text = `${first.text}${space}${isEnd ? '' : second.text}`;
    const reserved = /^.(true|false|null)$/.exec(text);
    const message = reserved
      ? `mismatched input '${reserved[1]}' expecting IDENTIFIER`
      : `no viable alternative at input '${escapeSpace(text)}'`;
    return new SyntaxMismatch(message, second.offset);
  }

  /** Runs a rule. Where it cannot go on, tokens are skipped until one of `follow` comes, and the result is `otherwise`. */
  rule<T>(follow: () => Tokens, otherwise: T, parse: () => T): T {
    try {
      return parse();
    } catch (error) {
      if (!(error instanceof SyntaxMismatch)) throw error;
      this.#report(error.message, error.offset);
      this.#countRecovery();
      // The same place a second time: skipping nothing would go on forever.
      if (this.#lastError === this.#at && !this.is('<EOF>')) this.#skip();
      this.#lastError = this.#at;
      const tokens = follow();
      for (let skipped = 0; !tokens.has(this.peek().type) && !this.is('<EOF>'); skipped++) {
        if (skipped >= MAX_SKIPPED) throw new GiveUp(`error recovery token lookahead limit exceeded: ${MAX_SKIPPED}`);
        this.#skip();
      }
      return otherwise;
    }
  }

  /** A token too many; what comes after it fits. */
  #passOver(): void {
    this.#skip();
    this.#recovering = false;
  }

  #skip(): void {
    if (this.#at < this.#tokens.length - 1) this.#at++;
  }

  #countRecovery(): void {
    if (this.#recoveries++ < MAX_RECOVERIES) return;
    this.#recovering = false;
    this.#report(`error recovery attempt limit exceeded: ${MAX_RECOVERIES}`, this.peek().offset);
    throw new GiveUp();
  }

  /** Until a token has fitted again, further errors are only echoes of the first. */
  #report(message: string, offset: number): void {
    if (this.#recovering) return;
    this.#recovering = true;
    if (this.issues.length >= MAX_ISSUES) {
      this.issues.push({ offset, message: `Syntax error: More than ${MAX_ISSUES} syntax errors` });
      throw new GiveUp();
    }
    this.issues.push({ offset, message: `Syntax error: ${message}` });
  }
}

const display = (token: Token): string => `'${escapeSpace(token.text)}'`;

const escapeSpace = (text: string): string =>
  text.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');
