import { Uint } from '../values/values.ts';
import type { Entry, Expr, Field } from './ast.ts';
import { FIELD_NAME, OPERATORS, PRIMARY_START, PRODUCTS, RELATIONS, RESERVED, START, SUMS } from './grammar.ts';
import { tokenize } from './lexer.ts';
import { BadLiteral, bytesValue, doubleValue, intValue, stringValue, uintValue } from './literals.ts';
import { BadMacro, expandMacro } from './macros.ts';
import type { Issue } from './source.ts';
import { GiveUp, TokenStream } from './tokenStream.ts';
import type { Token, TokenType } from './tokens.ts';

const MAX_CODE_POINTS = 100_000;
const MAX_DEPTH = 250;

/** The tree of an expression with its macros expanded, or what is wrong with it. */
export function parse(source: string): { expr?: Expr; issues: readonly Issue[] } {
  const size = source.length > MAX_CODE_POINTS ? [...source].length : source.length;
  if (size > MAX_CODE_POINTS) {
    const message = `expression code point size exceeds limit: size: ${size}, limit ${MAX_CODE_POINTS}`;
    return { issues: [{ offset: undefined, message }] };
  }
  return new Parser(source).parse();
}

class Parser {
  readonly #source: string;
  readonly #tokens: TokenStream;
  readonly #issues: Issue[] = [];
  /** What closes the constructs around the current one, innermost last. */
  readonly #closers: (readonly TokenType[])[] = [['<EOF>']];
  /** How deep a tree is, by its root. */
  readonly #depths = new WeakMap<Expr, number>();
  #nesting = 0;
  /** How many of the constructs around the current one fields and indexes can follow. */
  #primaries = 0;

  constructor(source: string) {
    this.#source = source;
    const { tokens, issues } = tokenize(source);
    this.#tokens = new TokenStream(tokens, issues);
  }

  parse(): { expr?: Expr; issues: readonly Issue[] } {
    let expr: Expr | undefined;
    try {
      expr = this.#tokens.rule(
        () => new Set(),
        undefined,
        () => {
          const result = this.#expr();
          this.#tokens.match('<EOF>', new Set());
          return result;
        },
      );
      if (expr && (this.#depths.get(expr) ?? 0) > MAX_DEPTH) throw new GiveUp('max recursion depth exceeded');
    } catch (error) {
      if (!(error instanceof GiveUp)) throw error;
      if (error.message !== undefined) this.#issues.push({ offset: undefined, message: error.message });
    }
    const issues = [...this.#tokens.issues, ...this.#issues];
    return issues.length > 0 || !expr ? { issues } : { expr, issues };
  }

  #report(offset: number, message: string): Expr {
    this.#issues.push({ offset, message });
    return this.#nothing(offset);
  }

  /** Stands where something could not be read. */
  readonly #nothing = (offset: number): Expr => ({ kind: 'literal', offset, value: null });

  /** What may come after a complete operand here. */
  readonly #continuation = (): Set<TokenType> => new Set([...OPERATORS, '.', '[', ...(this.#closers.at(-1) ?? [])]);

  /** Where reading can go on after an error. */
  readonly #recovery = (): Set<TokenType> =>
    new Set([...OPERATORS, ...this.#closers.flat(), ...(this.#primaries > 0 ? (['.', '['] as const) : [])]);

  /** The same inside of what fields and indexes can follow. */
  readonly #primaryRecovery = (): Set<TokenType> => new Set([...this.#recovery(), '.', '[']);

  /** Parses something that one of `closers` ends. */
  #within<T>(closers: readonly TokenType[], parse: () => T): T {
    this.#closers.push(closers);
    try {
      return parse();
    } finally {
      this.#closers.pop();
    }
  }

  /** Remembers how deep the node is; `levels` is 0 for nodes that cel-go does not count. */
  #built(expr: Expr, children: readonly Expr[], levels = 1): Expr {
    const deepest = children.reduce((most, child) => Math.max(most, this.#depths.get(child) ?? 0), 0);
    this.#depths.set(expr, deepest + levels);
    return expr;
  }

  #call(name: string, offset: number, target: Expr | undefined, args: readonly Expr[], levels = 1): Expr {
    const call = { kind: 'call', offset, function: name, target, args } as const;
    const children = target ? [target, ...args] : args;
    try {
      return this.#built(expandMacro(call) ?? call, children, levels);
    } catch (error) {
      if (!(error instanceof BadMacro)) throw error;
      return this.#report(error.offset, error.message);
    }
  }

  #expr(): Expr {
    if (++this.#nesting > MAX_DEPTH) throw new GiveUp(`expression recursion limit exceeded: ${MAX_DEPTH}`);
    const offset = this.#tokens.peek().offset;
    const expr = this.#tokens.rule(this.#recovery, this.#nothing(offset), () => {
      const condition = this.#logical('||');
      const question = this.#tokens.take('?');
      if (!question) return condition;
      const then = this.#within([':'], () => this.#logical('||'));
      this.#tokens.match(':', START);
      const otherwise = this.#expr();
      return this.#call('_?_:_', question.offset, undefined, [condition, then, otherwise]);
    });
    this.#nesting--;
    return expr;
  }

  /** A chain of `||` or `&&` is one call: evaluation goes through it from left to right. */
  #logical(operator: '||' | '&&'): Expr {
    const term = () => (operator === '||' ? this.#logical('&&') : this.#binary(0));
    const terms = [term()];
    let offset: number | undefined;
    for (let token = this.#tokens.take(operator); token; token = this.#tokens.take(operator)) {
      offset ??= token.offset;
      terms.push(term());
    }
    return offset === undefined ? (terms[0] as Expr) : this.#call(`_${operator}_`, offset, undefined, terms, 0);
  }

  #binary(level: 0 | 1 | 2): Expr {
    const operand = () => (level === 2 ? this.#unary() : this.#binary((level + 1) as 1 | 2));
    const operators = [RELATIONS, SUMS, PRODUCTS][level] as Set<TokenType>;
    let left = operand();
    while (operators.has(this.#tokens.peek().type)) {
      const { type, offset } = this.#tokens.next();
      const name = type === 'in' ? '@in' : `_${type}_`;
      left = this.#call(name, offset, undefined, [left, operand()]);
    }
    return left;
  }

  #unary(): Expr {
    const offset = this.#tokens.peek().offset;
    return this.#tokens.rule(this.#recovery, this.#nothing(offset), () => {
      this.#tokens.expect(START);
      const first = this.#tokens.peek();
      if (first.type === '!') return this.#negated('!_', '!', first.offset);
      const isNumber = ['NUM_INT', 'NUM_FLOAT'].includes(this.#tokens.peek(1).type);
      if (first.type === '-' && !isNumber) return this.#negated('-_', '-', first.offset);
      return this.#member();
    });
  }

  #negated(name: string, operator: '!' | '-', offset: number): Expr {
    let count = 0;
    while (this.#tokens.is(operator)) {
      // After a minus only something that can be negated, and not another operator, makes sense.
      if (operator === '-' && !PRIMARY_START.has(this.#tokens.peek(1).type))
        throw this.#tokens.noViableAlternative(this.#source);
      this.#tokens.next();
      count++;
    }
    const operand = this.#member();
    return count % 2 === 0 ? operand : this.#call(name, offset, undefined, [operand], 0);
  }

  #member(): Expr {
    const offset = this.#tokens.peek().offset;
    return this.#tokens.rule(this.#recovery, this.#nothing(offset), () => {
      let operand = this.#primary();
      while (this.#tokens.is('.') || this.#tokens.is('[')) {
        operand = this.#tokens.is('.') ? this.#selected(operand) : this.#indexed(operand);
      }
      return operand;
    });
  }

  #selected(operand: Expr): Expr {
    const second = this.#tokens.peek(1).type;
    if (!FIELD_NAME.has(second) && second !== '?') throw this.#tokens.noViableAlternative(this.#source);
    const { offset } = this.#tokens.next();
    if (this.#tokens.is('IDENTIFIER') && this.#tokens.peek(1).type === '(') {
      const name = this.#tokens.next().text;
      const open = this.#tokens.next();
      return this.#call(name, open.offset, operand, this.#arguments());
    }
    const isOptional = this.#tokens.take('?') !== undefined;
    this.#tokens.expect(FIELD_NAME);
    const name = this.#tokens.next();
    const field = fieldName(name);
    if (isOptional) {
      const literal: Expr = { kind: 'literal', offset: name.offset, value: field };
      return this.#call('_?._', offset, undefined, [operand, literal]);
    }
    return this.#built({ kind: 'select', offset, operand, field, testOnly: false }, [operand]);
  }

  #indexed(operand: Expr): Expr {
    const { offset } = this.#tokens.next();
    const index = this.#within([']'], () => {
      this.#tokens.expect(new Set([...START, '?']));
      const name = this.#tokens.take('?') ? '_[?_]' : '_[_]';
      return { name, expr: this.#expr() };
    });
    this.#tokens.match(']', this.#continuation());
    return this.#call(index.name, offset, undefined, [operand, index.expr]);
  }

  #arguments(): Expr[] {
    const args: Expr[] = [];
    this.#within([',', ')'], () => {
      this.#tokens.expect(new Set([...START, ')']));
      if (this.#tokens.is(')')) return;
      do args.push(this.#expr());
      while (this.#tokens.take(','));
    });
    this.#tokens.match(')', this.#continuation());
    return args;
  }

  #primary(): Expr {
    let begun = this.#nothing(this.#tokens.peek().offset);
    const expr = this.#tokens.rule(this.#primaryRecovery, undefined, () => {
      this.#tokens.expect(PRIMARY_START);
      this.#primaries++;
      try {
        return this.#primaryOf(this.#tokens.peek(), (part) => {
          begun = part;
        });
      } finally {
        this.#primaries--;
      }
    });
    return expr ?? begun;
  }

  /** @param begin told what stands there even if the rest of it cannot be read */
  #primaryOf(token: Token, begin: (part: Expr) => void): Expr {
    switch (token.type) {
      case '(':
        return this.#nested(begin);
      case '[':
        return this.#list(begin);
      case '{':
        return this.#map();
      case '.':
        if (this.#tokens.peek(1).type !== 'IDENTIFIER') throw this.#tokens.noViableAlternative(this.#source);
        return this.#named();
      case 'IDENTIFIER':
        return this.#named();
      default:
        return this.#literal();
    }
  }

  #nested(begin: (part: Expr) => void): Expr {
    this.#tokens.next();
    const expr = this.#within([')'], () => this.#expr());
    begin(expr);
    this.#tokens.match(')', this.#continuation());
    return expr;
  }

  #list(begin: (part: Expr) => void): Expr {
    const { offset } = this.#tokens.next();
    const elements: Expr[] = [];
    const optional: boolean[] = [];
    const element = () => {
      optional.push(this.#tokens.take('?') !== undefined);
      elements.push(this.#expr());
    };
    const list = { kind: 'list', offset, elements, optional } as const;
    begin(list);
    this.#items(']', new Set([...START, '?']), element);
    return this.#built(list, elements, 0);
  }

  /** Items with commas between them and perhaps after the last, up to what closes them. */
  #items(closer: TokenType, start: ReadonlySet<TokenType>, item: () => void): void {
    this.#within([',', closer], () => {
      this.#tokens.expect(new Set([...start, ',', closer]));
      if (this.#tokens.is(',') || this.#tokens.is(closer)) return;
      this.#tokens.rule(this.#recovery, undefined, () => {
        item();
        while (this.#tokens.is(',') && start.has(this.#tokens.peek(1).type)) {
          this.#tokens.next();
          item();
        }
      });
      this.#tokens.expectIfAny(new Set([',', closer]));
    });
    this.#tokens.take(',');
    this.#tokens.match(closer, this.#continuation());
  }

  #map(): Expr {
    const { offset } = this.#tokens.next();
    const entries: Entry[] = [];
    this.#items('}', new Set([...START, '?']), () => {
      const optional = this.#tokens.take('?') !== undefined;
      const key = this.#within([':'], () => this.#expr());
      const colon = this.#tokens.match(':', START);
      entries.push({ offset: colon.offset, key, value: this.#expr(), optional });
    });
    return this.#built(
      { kind: 'map', offset, entries },
      entries.flatMap(({ key, value }) => [key, value]),
      0,
    );
  }

  /** A variable, a call, or the type of an object: `.a`, `f(x)`, `a.b.C{…}`. */
  #named(): Expr {
    const dot = this.#tokens.take('.');
    const literal = this.#structName();
    if (literal) return this.#struct(`${dot ? '.' : ''}${literal}`);
    const token = this.#tokens.next();
    const open = this.#tokens.take('(');
    const args = open ? this.#arguments() : [];
    const offset = dot?.offset ?? token.offset;
    if (RESERVED.has(token.text)) return this.#report(offset, `reserved identifier: ${token.text}`);
    const name = `${dot ? '.' : ''}${token.text}`;
    if (open) return this.#call(name, open.offset, undefined, args, 0);
    return { kind: 'ident', offset: token.offset, name };
  }

  /** The name before a brace; its tokens are taken. Undefined, and none taken, where no brace follows. */
  #structName(): string | undefined {
    let length = 1;
    while (this.#tokens.peek(length).type === '.' && this.#tokens.peek(length + 1).type === 'IDENTIFIER') length += 2;
    if (this.#tokens.peek(length).type !== '{') return undefined;
    return Array.from({ length }, () => this.#tokens.next().text).join('');
  }

  #struct(typeName: string): Expr {
    const { offset } = this.#tokens.next();
    const fields: Field[] = [];
    this.#items('}', new Set([...FIELD_NAME, '?']), () => {
      const optional = this.#tokens.take('?') !== undefined;
      this.#tokens.expect(FIELD_NAME);
      const name = fieldName(this.#tokens.next());
      const colon = this.#tokens.match(':', START);
      fields.push({ offset: colon.offset, name, value: this.#expr(), optional });
    });
    return this.#built(
      { kind: 'struct', offset, typeName, fields },
      fields.map(({ value }) => value),
      0,
    );
  }

  #literal(): Expr {
    const sign = this.#tokens.take('-');
    const token = this.#tokens.next();
    const { offset } = sign ?? token;
    try {
      return { kind: 'literal', offset, value: literalValue(token, sign ? '-' : '') };
    } catch (error) {
      if (!(error instanceof BadLiteral)) throw error;
      return this.#report(offset, error.message);
    }
  }
}

/** Names in backticks may have characters that others may not. */
const fieldName = ({ type, text }: Token): string => (type === 'ESC_IDENTIFIER' ? text.slice(1, -1) : text);

function literalValue({ type, text }: Token, sign: string) {
  switch (type) {
    case 'NUM_INT':
      return intValue(sign + text);
    case 'NUM_FLOAT':
      return doubleValue(sign + text);
    case 'NUM_UINT':
      return new Uint(uintValue(text));
    case 'STRING':
      return stringValue(text);
    case 'BYTES':
      return bytesValue(text);
    case 'true':
      return true;
    case 'false':
      return false;
    default:
      return null;
  }
}
