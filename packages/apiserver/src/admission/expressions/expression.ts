import { type CelType, type Environment, type Program, sameType } from '../../cel/index.ts';

/** An expression that was compiled, or the reason why it does not compile. */
export interface Expression {
  readonly source: string;
  readonly program?: Program | undefined;
  readonly error?: string | undefined;
}

/** Compiles an expression that must give a value of one of these types; without types, it can be of any. */
export function compileExpression(
  source: string,
  environment: Environment,
  types: readonly CelType[] = [],
): Expression {
  const { program, issues } = environment.compile(source);
  if (!program) return { source, error: `compilation failed: ${issues}` };
  if (types.length > 0 && !types.some((type) => sameType(type, program.type)))
    return { source, error: `must evaluate to ${wanted(types)} but got ${typeText(program.type)}` };
  if (program.failure !== undefined) return { source, error: `program instantiation failed: ${program.failure}` };
  return { source, program };
}

/** The same, compiled when it is first used: a policy may have many, and most requests need few. */
export function lazyExpression(source: string, environment: Environment, types: readonly CelType[]): Expression {
  let compiled: Expression | undefined;
  const compile = (): Expression => {
    compiled ??= compileExpression(source, environment, types);
    return compiled;
  };
  return {
    source,
    get program() {
      return compile().program;
    },
    get error() {
      return compile().error;
    },
  };
}

const wanted = (types: readonly CelType[]): string =>
  types.length === 1 ? typeText(types[0] as CelType) : `one of [${types.map(typeText).join(' ')}]`;

const typeText = ({ name, parameters }: CelType): string =>
  parameters.length > 0 ? `${name}(${parameters.map(typeText).join(', ')})` : name;
