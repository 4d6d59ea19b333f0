import type { ValidationRule } from '@vireo/api/schema.ts';

/** A rule as Go prints it in errors: with every field. */
export function goForm({ rule, message, messageExpression, reason, fieldPath, optionalOldSelf }: ValidationRule) {
  return {
    Rule: rule ?? '',
    Message: message ?? '',
    MessageExpression: messageExpression ?? '',
    Reason: reason ?? null,
    FieldPath: fieldPath ?? '',
    OptionalOldSelf: optionalOldSelf ?? null,
  };
}
