import { describe, expect, it } from 'vitest';
import { generate } from './expression.ts';
import { processTemplate, TemplateError, templateProblems } from './process.ts';
import type { VirtualMachineTemplateSpec } from './virtualMachineTemplate.ts';

/** How a template refers to a parameter. */
const ref = (name: string): string => `\${${name}}`;
/** The same where the value is not to be a text. */
const whole = (name: string): string => `\${{${name}}}`;

describe('an expression', () => {
  it.each([
    ['test[0-9]{1}x', /^test[0-9]x$/],
    ['[0-1]{8}', /^[01]{8}$/],
    ['0x[A-F0-9]{4}', /^0x[A-F0-9]{4}$/],
    ['[\\d]{3}-[\\w]{2}', /^\d{3}-\w{2}$/],
    ['plain', /^plain$/],
  ])('%s', (expression, expected) => {
    expect(generate(expression, (below) => Math.floor(Math.random() * below))).toMatch(expected);
  });

  it.each([
    ['[a-z]{0}', 'range must be within [1-255] characters: 0'],
    ['[a-z]{256}', 'range must be within [1-255] characters: 256'],
    ['[a-z]{x}', 'malformed length syntax: x'],
    ['[z-a]{3}', 'invalid range specified: z-a'],
  ])('%s is refused', (expression, message) => {
    expect(() => generate(expression, () => 0)).toThrow(message);
  });

  it('that symbols would make is not looked at', () => {
    expect(generate('[\\A]{1}', (below) => below - 1)).toBe('~');
  });
});

const template = (spec: Partial<VirtualMachineTemplateSpec> = {}): VirtualMachineTemplateSpec => ({
  parameters: [
    { name: 'NAME', required: true },
    { name: 'CPUS', value: '2' },
    { name: 'ON', value: 'true' },
  ],
  message: `log in to ${ref('NAME')}`,
  virtualMachine: {
    metadata: {
      name: ref('NAME'),
      namespace: 'elsewhere',
      labels: { [ref('NAME')]: `a-${ref('NAME')}-${ref('CPUS')}` },
    },
    spec: { cores: whole('CPUS'), running: whole('ON'), text: `$${ref('CPUS')}` },
  },
  ...spec,
});

const process = (spec: VirtualMachineTemplateSpec, given: Record<string, string> = { NAME: 'web' }) =>
  processTemplate(spec, given, () => 0);

const refusalOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof TemplateError) return `${error.field.field}: ${error.message}`;
    throw error;
  }
  return 'none';
};

describe('a template', () => {
  it('becomes a VM: references are values, and a namespace that is written out is left out', () => {
    expect(process(template())).toEqual({
      message: 'log in to web',
      virtualMachine: {
        apiVersion: 'kubevirt.io/v1',
        kind: 'VirtualMachine',
        metadata: { name: 'web', labels: { [ref('NAME')]: 'a-web-2' } },
        spec: { cores: 2, running: true, text: '$2' },
      },
    });
  });

  it('may say the namespace by a parameter', () => {
    const virtualMachine = { metadata: { namespace: ref('NAME') } };
    expect(process(template({ virtualMachine })).virtualMachine.metadata).toEqual({ namespace: 'web' });
  });

  it('does not look into values: what looks like a reference there stays', () => {
    expect(process(template(), { NAME: ref('CPUS') }).message).toBe(`log in to ${ref('CPUS')}`);
  });

  it('generates what is not given', () => {
    const parameters = [{ name: 'NAME', generate: 'expression' as const, from: 'vm-[a-z]{3}' }];
    const virtualMachine = { metadata: { name: ref('NAME') } };
    expect(process({ parameters, virtualMachine }, {}).virtualMachine.metadata).toEqual({ name: 'vm-aaa' });
    expect(process({ parameters, virtualMachine }, { NAME: 'x' }).virtualMachine.metadata).toEqual({ name: 'x' });
  });

  it.each<[string, VirtualMachineTemplateSpec, Record<string, string>, string]>([
    [
      'a value is missing',
      template(),
      {},
      "spec.parameters[0].value: parameter 'NAME' is required and a value must be specified",
    ],
    [
      'there is no such parameter',
      template(),
      { NAME: 'x', X: '1' },
      'parameters: parameter X not found in template; it has: NAME, CPUS, ON',
    ],
    [
      'a reference leads nowhere',
      template({ message: ref('NO') }),
      { NAME: 'x' },
      "spec.message: found parameter 'NO' but it was not defined",
    ],
    [
      'a name is there twice',
      template({ parameters: [{ name: 'A' }, { name: 'A' }] }),
      {},
      "spec.parameters[1].name: parameter 'A' is there twice",
    ],
  ])('is refused when %s', (_, spec, given, message) => {
    expect(refusalOf(() => process(spec, given))).toBe(message);
  });

  it('is checked without values, and tells what nothing uses', () => {
    expect(templateProblems(template())).toEqual({ errors: [], unused: [] });
    const spec = template({ parameters: [{ name: 'NAME', required: true }, { name: 'IDLE' }] });
    const { errors, unused } = templateProblems(spec);
    expect(unused).toEqual(['IDLE']);
    expect(errors.map(({ text }) => text)).toEqual(["found parameter 'CPUS' but it was not defined"]);
  });
});
