import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import type { EditorView, Tooltip } from '@codemirror/view';
import { cursorAt } from '../../decisions/yaml/cursor.ts';
import { type Field, fieldsAt, nodeAt, type Schema, typeText, valuesAt } from '../../decisions/yaml/schema.ts';

/** Offers the fields that can stand at the cursor, or the values that the field can have. */
export function completeFrom(context: CompletionContext, schema: Schema | undefined): CompletionResult | null {
  if (!schema) return null;
  const cursor = cursorAt(context.state.doc.toString(), context.pos);
  if (!cursor) return null;
  const { parent, key, isInValue, from } = cursor;
  if (from === context.pos && !context.explicit) return null;
  if (isInValue && key !== undefined) {
    const values = valuesAt(schema, [...parent, key]);
    return values.length === 0 ? null : { from, options: values.map((label) => ({ label, type: 'enum' })) };
  }
  const options = fieldsAt(schema, parent).map((field) => optionFor(field, cursor.indent, key !== undefined));
  return options.length === 0 ? null : { from, options, validFor: /^[\w$-]*$/ };
}

function optionFor(field: Field, indent: number, hasColon: boolean): Completion {
  const { name, type, description, isRequired, isNested } = field;
  const rest = hasColon ? '' : isNested ? `:\n${' '.repeat(indent + 2)}${type.startsWith('[]') ? '- ' : ''}` : ': ';
  return {
    label: name,
    apply: name + rest,
    detail: isRequired ? `${type}, required` : type,
    type: 'property',
    boost: isRequired ? 1 : 0,
    ...(description && { info: () => textElement(description) }),
  };
}

/** What the server says of the field under the pointer. */
export function hoverFrom(view: EditorView, position: number, schema: Schema | undefined): Tooltip | null {
  if (!schema) return null;
  const cursor = cursorAt(view.state.doc.toString(), position);
  if (cursor?.key === undefined || cursor.isInValue) return null;
  const path = [...cursor.parent, cursor.key];
  const node = nodeAt(schema, path);
  if (!node) return null;
  const { from, to } = view.state.doc.lineAt(position);
  const text = [`${cursor.key}: ${typeText(node, schema.schemas)}`, node.description].filter(Boolean).join('\n');
  return {
    pos: Math.min(from + cursor.indent, to),
    end: Math.min(from + cursor.indent + cursor.key.length, to),
    above: true,
    create: () => ({ dom: textElement(text) }),
  };
}

/** Text only: descriptions come from servers. */
function textElement(text: string): HTMLElement {
  const element = document.createElement('div');
  element.className = 'cm-field-help';
  for (const [index, line] of text.split('\n').entries()) {
    const paragraph = element.appendChild(
      document.createElement(index === 0 && text.includes('\n') ? 'strong' : 'div'),
    );
    paragraph.textContent = line;
  }
  return element;
}
