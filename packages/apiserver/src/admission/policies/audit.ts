import { annotateAudit, isAudited } from '../../audit/context.ts';
import type { Failure, ValidatingInvocation } from './evaluateValidating.ts';

/** What the policies that judge one request leave in the audit log. */
export class PolicyAudit {
  readonly #isAudited = isAudited();
  /** `policy/key` → values, each once: several bindings and parameters may say the same. */
  readonly #annotations = new Map<string, Set<string>>();
  readonly #failures: object[] = [];

  add(
    { policy, binding }: ValidatingInvocation,
    failures: readonly Failure[],
    annotations: readonly (readonly [key: string, value: string])[],
  ): void {
    if (!this.#isAudited) return;
    const { name } = policy.metadata;
    for (const [key, value] of annotations) {
      const at = `${name}/${key}`;
      this.#annotations.set(at, (this.#annotations.get(at) ?? new Set<string>()).add(value));
    }
    const validationActions = binding.spec?.validationActions ?? [];
    if (!validationActions.includes('Audit')) return;
    for (const { message, index: expressionIndex } of failures)
      this.#failures.push({
        message,
        policy: name,
        binding: binding.metadata.name,
        expressionIndex,
        validationActions,
      });
  }

  publish(): void {
    for (const [key, values] of this.#annotations) annotateAudit(key, [...values].join(', '));
    if (this.#failures.length > 0)
      annotateAudit('validation.policy.admission.k8s.io/validation_failure', JSON.stringify(this.#failures));
  }
}
