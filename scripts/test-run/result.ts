/** What became of one file of tests. */
export interface FileResult {
  readonly file: string;
  /** Tests that passed; suites are not counted. */
  readonly passed: number;
  readonly failed: readonly Failure[];
  readonly skipped: readonly Named[];
  readonly ms: number;
  /** Processor time of the process of the tests and of those it started, without servers that all files share. */
  readonly processorMs: number;
}

/** A test, or a suite whose hook failed, with the first line of the reason. */
export interface Named {
  readonly name: string;
  readonly line: number | undefined;
  readonly reason: string;
}

export interface Failure extends Named {
  /** The whole error, with its stack. */
  readonly details: string;
}

/** For a file that ended otherwise than by its tests. */
export function brokenFile(file: string, ms: number, reason: string, details = ''): FileResult {
  return {
    file,
    passed: 0,
    failed: [{ name: 'the file as a whole', line: undefined, reason, details }],
    skipped: [],
    ms,
    processorMs: 0,
  };
}
