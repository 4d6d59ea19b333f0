import type { FieldError, KubeObject } from '@vireo/api';
import type { Strategy, StrategyContext } from './strategy.ts';

/** A strategy written against the type of its kind. */
export interface TypedStrategy<T extends KubeObject>
  extends Omit<
    Strategy,
    | 'prepareForCreate'
    | 'prepareForUpdate'
    | 'validate'
    | 'validateUpdate'
    | 'warnings'
    | 'graceSeconds'
    | 'beginDelete'
    | 'holdsDeletion'
  > {
  prepareForCreate?(draft: T, context: StrategyContext): void;
  prepareForUpdate?(draft: T, old: T, context: StrategyContext): void;
  validate?(object: T, context: StrategyContext): FieldError[];
  validateUpdate?(object: T, old: T, context: StrategyContext): FieldError[];
  warnings?(object: T, context: StrategyContext): string[];
  graceSeconds?(object: T, requested: number | undefined): number | undefined;
  beginDelete?(draft: T): void;
  holdsDeletion?(object: T): boolean;
}

/**
 * The one place where an object of unknown shape becomes its kind: the server checks the schema before it asks a
 * strategy, so the type holds, except that a required field may be missing and is then reported by the strategy.
 */
export const defineStrategy = <T extends KubeObject>(strategy: TypedStrategy<T>): Strategy =>
  strategy as unknown as Strategy;
