import { schemaFromJson } from '@vireo/api/schemaFromJson.ts';
import { describe, expect, it } from 'vitest';
import {
  CelError,
  type CelValue,
  type Evaluation,
  fromSchema,
  kubernetes,
  type Program,
  schemaTypeOf,
  sizeAt,
  structsOf,
} from './index.ts';
import { withWork } from './meter.ts';
import { costs } from './testing/expressionCosts.ts';
import { errors, issues } from './testing/expressionErrors.ts';
import { schema, self, truths } from './testing/expressions.ts';

const compiledSchema = schemaFromJson(schema);
const type = schemaTypeOf(compiledSchema, 'selfType', false);
if (!type) throw new Error('the schema has no type');
const environment = kubernetes.extend({ variables: { self: type.type }, structs: structsOf(type) });
const value = withWork(() => fromSchema(self, compiledSchema)) as CelValue;

/** The program; fails where there is none. */
function compiled(source: string): Program {
  const { program, issues: why } = environment.compile(source);
  if (!program) throw new Error(why);
  return program;
}

const evaluate = (source: string): Evaluation => compiled(source).evaluate({ self: value });

/** What an expression gives, as a word or the message of its error. */
function answer(source: string): string {
  const { value: result } = evaluate(source);
  return result instanceof CelError ? result.message : String(result);
}

describe('an expression', () => {
  it.each(Object.entries(truths))('is true about %s', (_, sources) => {
    expect(sources.map((source) => `${source}: ${answer(source)}`)).toEqual(sources.map((source) => `${source}: true`));
  });

  it('ends in the error of cel-go', () => {
    expect(errors.map(([source]) => [source, answer(source)])).toEqual(errors);
  });

  it('does not compile for the reasons of cel-go', () => {
    const found = issues.map(([source]) => {
      const lines = environment
        .compile(source)
        .issues?.split('\n')
        .filter((line) => line.startsWith('ERROR: '));
      return [source, lines?.map((line) => line.replace('ERROR: <input>:', '')).join('; ')];
    });
    expect(found).toEqual(issues);
  });

  it('shows where it does not compile', () => {
    expect(environment.compile("self.a == 'é' &&\n  self.x.y > 'é' + 1").issues).toBe(
      [
        "ERROR: <input>:2:7: undefined field 'x'",
        " |   self.x.y > 'é' + 1",
        ' | ......^',
        "ERROR: <input>:2:18: found no matching overload for '_+_' applied to '(string, int)'",
        " |   self.x.y > 'é' + 1",
        ' | ..............．..^',
      ].join('\n'),
    );
  });

  it('costs what it costs Kubernetes', () => {
    const found = costs.map(([source]) => [
      source,
      evaluate(source).cost,
      compiled(source).estimateCost((path) => sizeAt(type, path.slice(1))),
    ]);
    expect(found).toEqual(costs);
  });
});
