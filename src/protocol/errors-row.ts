/** A row of the catalogue of failures. */
export interface Row {
  readonly error: string;
  readonly status: number;
  readonly description: string;
  /** What brings it about, for the error reference. */
  readonly cause: string;
  readonly fix: string;
}
