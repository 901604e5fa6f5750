import type { OperationContext } from '../api/operation.ts';

export interface McpContext {
  readonly operation: OperationContext;
  /** The access token has the scope for proposing acts. */
  readonly mayPropose: boolean;
}
