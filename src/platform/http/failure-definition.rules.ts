/** An entry of the catalogue of failures. */
export interface FailureDefinition {
  readonly error: string;
  readonly status: number;
  readonly description: string;
  /** For the error reference: what causes it, and what to do. */
  readonly cause: string;
  readonly fix: string;
}
